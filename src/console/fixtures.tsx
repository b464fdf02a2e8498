/** The fixtures: a reset to each, and the current state as a file or in the folder of fixtures. */
import { useState } from 'preact/hooks'

import type { FixtureSummary, RecordCounts, ResetSummary, StateDiff } from '../control/document-types.js'
import { ask, RefusedError } from './api.js'
import { Button, Field, Form } from './controls.js'
import { change, isEnded, useData } from './live.js'
import { linkTo, shownRun } from './route.js'
import { counted, ProblemText, Sign } from './texts.js'

const countedAll = (collections: RecordCounts = {}): string =>
  Object.entries(collections)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ') || 'no records'

/** Number of records that a diff has, by kind. The diff must be limited. Undefined: it is not known yet. */
export function countsOf(diff: StateDiff | undefined): Readonly<Record<'added' | 'changed' | 'removed', number>> {
  const sum = (kind: 'added' | 'changed' | 'removed'): number =>
    Object.values(diff?.collections ?? {}).reduce((total, { counts }) => total + (counts?.[kind] ?? 0), 0)
  return { added: sum('added'), changed: sum('changed'), removed: sum('removed') }
}

/** Resets the shown run, if the user does not want to keep its changes. @returns What happened. Empty: nothing. */
async function resetTo(fixture: string | undefined, diff: StateDiff | undefined): Promise<string> {
  const { added, changed, removed } = countsOf(diff)
  const discarded = added + changed + removed
  const question = `The reset discards the changes of ${counted(discarded, 'record')} and clears requests and faults. Undo brings all back, until other requests change the records.`
  if (discarded > 0 && !confirm(question)) return ''
  const summary = await change<ResetSummary>('POST', 'reset', { fixture })
  return `Reset to ${summary.fixture ?? 'the inline fixture'}: ${countedAll(summary.collections)}.`
}

/** The reset to the current fixture, and next to it the way to those to each. */
export const ResetPicker = ({ diff }: { diff: StateDiff | undefined }) => (
  <span>
    <Button label="Reset" press={() => resetTo(undefined, diff)} />{' '}
    <a class="button" href={linkTo('fixtures')}>
      <Sign kind="descending" heard="Reset to a fixture" />
    </a>
  </span>
)

export function FixturesView() {
  const { value: diff } = useData<StateDiff>('state/diff?limit=0')
  const { value: fixtures = [] } = useData<readonly FixtureSummary[]>('fixtures')
  const own = fixtures.filter(({ isForeign }) => !isForeign)
  const foreign = fixtures.filter(({ isForeign }) => isForeign).map(({ name }) => name)
  return (
    <div class="columns">
      <section class="panel" aria-label="Fixtures">
        <h3>Fixtures</h3>
        <p>A reset sets the state to a fixture and clears the rest. Undo brings it back.</p>
        <ul class="plain list">
          {own.map(({ callers = 0, collections, description, name, problems }) => (
            <li key={name} class="row apart">
              <div>
                <h4>
                  {name} {name === diff?.fixture && <span class="quiet">(the current one)</span>}
                </h4>
                <ProblemText error={problems?.join('\n')} />
                {!problems && (
                  <p class="quiet">
                    {description !== undefined && `${description}. `}
                    {countedAll(collections)}, {counted(callers, 'caller')}.
                  </p>
                )}
              </div>
              {!problems && !isEnded.value && <Button label={`Reset to ${name}`} press={() => resetTo(name, diff)} />}
            </li>
          ))}
        </ul>
        {foreign.length > 0 && <p class="quiet">{`Of another contract: ${foreign.join(', ')}.`}</p>}
      </section>
      <SaveState fixtures={fixtures} />
    </div>
  )
}

const ofName = 'at most 64 letters, digits, ".", "_" and "-", the first a letter or a digit'

function SaveState({ fixtures }: { fixtures: readonly FixtureSummary[] }) {
  const [name, setName] = useState('')
  const download = async (): Promise<string> => {
    const { $seed: _, ...document_ } = await ask<Readonly<Record<string, unknown>>>('state', shownRun.value)
    const url = URL.createObjectURL(new Blob([`${JSON.stringify(document_, null, 2)}\n`], { type: 'application/json' }))
    const file = `${name || `${shownRun.value}-state`}.json`
    Object.assign(document.createElement('a'), { href: url, download: file }).click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
    return `Saved as ${file}.`
  }
  const write = async (): Promise<string> => {
    if (!/^[A-Za-z\d][\w.-]{0,63}$/u.test(name)) throw new RefusedError(`Name the fixture with ${ofName}.`)
    await change('PUT', `fixtures/${encodeURIComponent(name)}`)
    return `Saved as the fixture ${name}.`
  }
  const hint = fixtures.some((each) => each.name === name) ? 'The folder has it. Saving replaces it.' : `Of ${ofName}.`
  return (
    <section class="panel" aria-label="Save the state">
      <h3>Save the current state</h3>
      {!isEnded.value && (
        <Form button="Save into the folder" action={write}>
          <Field label="Name of the fixture" hint={hint} value={name} set={setName} />
        </Form>
      )}
      <p>
        <Button label="Save as a file" press={download} />
      </p>
    </section>
  )
}
