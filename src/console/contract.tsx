/** The contract as the double serves it: what `explain` prints, with the statuses that were sent. */
import { useState } from 'preact/hooks'

import type { ExplainedOperation, Explanation } from '../resources/explanation.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import { ask, snapshot } from './api.js'
import { Button, Copyable, FilterForm, useFirst, Wide } from './controls.js'
import { pagesUrl, useData } from './live.js'
import { linkTo, route, type ViewProps } from './route.js'
import { counted, Sign, Summary } from './texts.js'

/** Tells whether a status is one that tests should see. */
const isCounted = ({ documented, status }: CoverageRow): boolean => documented && !status.startsWith('5')

export function ContractView({ contract }: ViewProps) {
  const { operations } = contract
  const [overlay, setOverlay] = useState('')
  const suggest = async () => setOverlay(await ask<string>('overlay'))
  const { operation: named = '', sent = '', statuses = '' } = route.value.query
  const { value: rows = [] } = useData<readonly CoverageRow[]>(statuses === '' ? 'coverage' : 'coverage?allRuns=true')
  const byOperation = Map.groupBy(rows, ({ operation }) => operation)
  const needle = named.toLowerCase()
  const matching = operations.filter(
    (each) =>
      (sent === '' || byOperation.get(each.operation)?.some((row) => isCounted(row) && row.count === 0)) &&
      `${each.operation} ${each.path} ${each.role}`.toLowerCase().includes(needle),
  )
  const [shown, more] = useFirst(matching, 100)
  const documented = rows.filter(isCounted)
  const answered = documented.filter(({ count }) => count > 0).length
  const since = statuses === '' ? 'since the last reset' : 'in all runs'
  const part = shown.length < operations.length ? ` ${shown.length} of ${operations.length} operations are shown.` : ''
  return (
    <section class="panel" aria-label="Contract">
      <Summary
        text={`${answered} of ${documented.length} documented statuses were sent ${since}, 5xx left out.${part}`}
      />
      {!snapshot && (
        <div class="row">
          <a href={`${pagesUrl()}docs`}>API reference, and the contract as a file</a>
          <Button label="Suggest an overlay" press={suggest} />
        </div>
      )}
      {overlay && <Copyable label="the overlay" text={overlay} />}
      <FilterForm
        fields={[
          { label: 'Operation, path or role', name: 'operation', type: 'search' },
          { label: 'Sent', name: 'sent', none: 'all or not', options: ['not all'] },
          { label: 'Statuses', name: 'statuses', none: 'of the shown run', options: ['of all runs'] },
        ]}
      />
      <Wide label="Operations">
        <table>
          <thead>
            <tr>
              {['Operation', 'Role', 'Statuses', 'Parameters', 'Line'].map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((each) => (
              <OperationRow
                key={each.operation}
                operation={each}
                role={roleText(each, contract)}
                rows={byOperation.get(each.operation) ?? []}
              />
            ))}
          </tbody>
        </table>
      </Wide>
      {more}
    </section>
  )
}

type RowProps = { operation: ExplainedOperation; role: string; rows: readonly CoverageRow[] }

function OperationRow({ operation, role, rows }: RowProps) {
  const { effects = [], filled = [], leftOut = [], neverSent = [], notStored = [] } = operation
  const { method, parameters, path, rulesInTexts: rules = [] } = operation
  const unknown = { 'not sent': [...leftOut, ...neverSent], 'not stored': notStored, 'not checked': rules }
  const more = { 'next to it': effects, 'filled in': filled, ...unknown }
  return (
    <tr>
      <th scope="row">
        <ReferenceLink of={operation} text={operation.operation} />
        <div class="quiet">{`${method} ${path}`}</div>
      </th>
      <td>
        {role}
        {Object.entries(more).map(
          ([title, names]) => names.length > 0 && <div class="quiet">{`${title}: ${names.join(', ')}`}</div>,
        )}
        {operation.role === 'mocked' && (
          <div class="quiet">{`Needs a handler: a function with the name ${operation.operation}, in the file of --handlers; or an overlay.`}</div>
        )}
      </td>
      <td>
        <ul class="row plain">
          {rows.map((row) => (
            <StatusCount key={row.status} row={row} />
          ))}
        </ul>
      </td>
      <td>
        {parameters.map(({ acts, in: place, name }) => (
          <div key={`${place} ${name}`}>
            {name} <span class="quiet">{`${place}, ${acts ? [acts.kind, acts.property].join(' ') : 'no effect'}`}</span>
          </div>
        ))}
      </td>
      <td>
        <ReferenceLink of={operation} text={lineOf(operation)} />
      </td>
    </tr>
  )
}

/** The link to an operation in the API reference, in the form of RapiDoc. A report has no reference, an ended run that of the root. */
export const ReferenceLink = ({ of: { method, path }, text }: { of: ExplainedOperation; text: string }) => {
  const fragment = `${method.toLowerCase()}-${path.replaceAll(/[{}#?&=]/gu, '-')}`
  return snapshot ? <>{text}</> : <a href={`${pagesUrl()}docs#${fragment}`}>{text}</a>
}

/** The role of an operation with its collection, or the reason why it is mocked, as `explain` has them. */
export function roleText({ basis, operation, reason, role }: ExplainedOperation, { collections }: Explanation): string {
  if (role === 'mocked') return `mocked, because ${reason ?? 'nothing of it is certain'}`
  const own = collections.find(({ operations }) => Object.values(operations).includes(operation))
  const where = own ? `: collection ${own.name}, by ${own.id}` : ''
  return `${role}${where}${basis === 'inferred' ? ', inferred' : ''}`
}

/** The place of an operation: its line, in a file if an overlay adds it. */
export const lineOf = ({ file = 'contract', line }: { file?: string | undefined; line: number }): string =>
  `${file}, line ${line}`

function StatusCount({ row: { count, documented, operation, status } }: { row: CoverageRow }) {
  const sent = count === 0 ? 'never sent' : `sent ${count === 1 ? 'once' : counted(count, 'time')}`
  const sign = (
    <Sign kind={documented ? (count === 0 ? 'never' : 'ok') : 'warning'} heard={operation}>
      {`${status} ${sent}${documented ? '' : ', undocumented'}`}
    </Sign>
  )
  // The requests of other runs are not listed.
  const isListed = count > 0 && !route.value.query['statuses']
  const href = linkTo('requests', { operation, status: /^\d{3}$/u.test(status) ? status : undefined })
  return <li>{isListed ? <a href={href}>{sign}</a> : sign}</li>
}
