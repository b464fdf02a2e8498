/** The contract as the double serves it: what `explain` prints, with the statuses that were sent. */
import { useState } from 'preact/hooks'

import type { ExplainedOperation, Explanation, ParameterEffect } from '../resources/explanation.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import { snapshot } from './api.js'
import { useData } from './live.js'
import { Button, Copyable, FilterForm, Select, Sign, TextField, Wide } from './parts.js'
import { referenceLink, roleText } from './request.js'
import { goTo, linkTo, route } from './route.js'

/** Number of operations that are shown at first, and that the button adds. */
const pageSize = 100

export function ContractView({ contract }: { contract: Explanation }) {
  const { operation: named = '', role = '' } = route.value.query
  const [limit, setLimit] = useState(pageSize)
  const { value: rows = [] } = useData<readonly CoverageRow[]>('coverage')
  const byOperation = new Map<string, CoverageRow[]>()
  for (const row of rows) byOperation.set(row.operation, [...(byOperation.get(row.operation) ?? []), row])
  const needle = named.toLowerCase()
  const matching = contract.operations.filter(
    (each) => (role === '' || each.role === role) && `${each.operation} ${each.path}`.toLowerCase().includes(needle),
  )
  const shown = matching.slice(0, limit)
  const counted = rows.filter(({ documented, status }) => documented && !status.startsWith('5'))
  const answered = counted.filter(({ count }) => count > 0).length
  const set = (changes: Readonly<Record<string, string>>): void =>
    goTo('contract', { operation: named, role, ...changes }, true)
  const roles = [...new Set(contract.operations.map((each) => each.role))]
  return (
    <section class="panel" aria-label="Contract">
      <p role="status">
        {answered} of {counted.length} documented statuses were sent since the last reset.
        {shown.length < contract.operations.length &&
          ` ${shown.length} of ${contract.operations.length} operations are shown.`}
      </p>
      <FilterForm>
        <TextField label="Operation" type="search" value={named} set={(text) => set({ operation: text })} />
        <Select label="Role" none="every role" value={role} options={roles} choose={(value) => set({ role: value })} />
      </FilterForm>
      <Wide label="Operations">
        <table class="contract">
          <thead>
            <tr>
              {['Operation', 'Role', 'Statuses', 'Parameters', 'Line'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((operation) => (
              <OperationRow
                key={operation.operation}
                operation={operation}
                rows={byOperation.get(operation.operation) ?? []}
              />
            ))}
          </tbody>
        </table>
      </Wide>
      {matching.length > limit && (
        <Button press={() => setLimit(limit + pageSize)}>
          Show {Math.min(pageSize, matching.length - limit)} more
        </Button>
      )}
    </section>
  )
}

function OperationRow({ operation, rows }: { operation: ExplainedOperation; rows: readonly CoverageRow[] }) {
  const { effects = [], file, filled = [], line, method, notStored = [], parameters, path, role } = operation
  const more = [
    ['next to it', effects],
    ['filled in', filled],
    ['not stored', notStored],
  ] as const
  return (
    <tr>
      <th scope="row">
        {snapshot ? operation.operation : <a href={referenceLink(operation)}>{operation.operation}</a>}
        <div class="quiet">
          {method} {path}
        </div>
      </th>
      <td class={role === 'mocked' ? 'warn' : undefined}>
        {roleText(operation)}
        {more.map(([title, names]) => names.length > 0 && <div class="quiet">{`${title}: ${names.join(', ')}`}</div>)}
        {role === 'mocked' && (
          <details>
            <summary>Overlay</summary>
            <Copyable label={`an overlay for ${operation.operation}`} text={overlayFor(operation)} />
          </details>
        )}
      </td>
      <td>
        <ul class="inline">
          {rows.map((row) => (
            <li key={row.status}>
              <StatusCount row={row} />
            </li>
          ))}
        </ul>
      </td>
      <td>
        {parameters.map(({ acts, in: place, name }) => (
          <div key={`${place} ${name}`}>
            {name}{' '}
            <span class="quiet">{acts === null ? `${place}, has no effect` : `${place}, ${effectText(acts)}`}</span>
          </div>
        ))}
      </td>
      <td>
        {file !== undefined && `${file}, `}
        {line}
      </td>
    </tr>
  )
}

const effectText = ({ kind, property }: ParameterEffect): string =>
  property === undefined ? kind : `${kind} ${property}`

/** An overlay that gives a mocked operation a role. The user replaces the role by the right one. */
const overlayFor = ({ method, path }: ExplainedOperation): string =>
  [
    'overlay: 1.0.0',
    'info: { title: Roles, version: 1.0.0 }',
    'actions:',
    `  - target: $.paths['${path}'].${method.toLowerCase()}`,
    '    update: { x-double: { role: read } }',
    '',
  ].join('\n')

function StatusCount({ row: { count, documented, operation, status } }: { row: CoverageRow }) {
  const [picture, color] = documented
    ? count === 0
      ? (['never', 'quiet'] as const)
      : (['ok', 'good'] as const)
    : (['warning', 'bad'] as const)
  return (
    <a href={linkTo('requests', { operation, q: /^\d{3}$/u.test(status) ? status : undefined })}>
      <Sign picture={picture} class={color}>
        <span class="visually-hidden">{operation} </span>
        {status} {count === 0 ? 'never' : count.toLocaleString('en')}
        {!documented && ' undocumented'}
      </Sign>
    </a>
  )
}
