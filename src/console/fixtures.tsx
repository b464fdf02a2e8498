/** The fixtures: a reset to each, and the current state as a file or in the folder of fixtures; and new sandboxes. */
import { useState } from 'preact/hooks'

import type { FixtureSummary, ResetSummary, StateDiff } from '../control/document-types.js'
import { ask, rootRun } from './api.js'
import { isEnded, refresh, useData } from './live.js'
import { Button, counted, ProblemText, TextField, useAction } from './parts.js'
import { goTo, shownRun } from './route.js'

const countedAll = (collections: Readonly<Record<string, number>> = {}): string =>
  Object.entries(collections)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ') || 'no records'

/** Number of records that a diff has, by kind. */
export function countsOf({ collections }: StateDiff): Readonly<Record<'added' | 'changed' | 'removed', number>> {
  const sum = (kind: 'added' | 'changed' | 'removed'): number =>
    Object.values(collections).reduce(
      (total, diff) => total + (diff.counts?.[kind] ?? Object.keys(diff[kind]).length),
      0,
    )
  return { added: sum('added'), changed: sum('changed'), removed: sum('removed') }
}

/** Resets the shown run, if the user does not want to keep its changes. @returns What happened. Empty: nothing. */
export async function resetTo(fixture: string | undefined, diff: StateDiff | undefined): Promise<string> {
  const { added, changed, removed } = diff ? countsOf(diff) : { added: 0, changed: 0, removed: 0 }
  const discarded = added + changed + removed
  const question = `The reset discards the changes of ${counted(discarded, 'record')}. It can be undone until they change again; the requests cannot be brought back.`
  if (discarded > 0 && !confirm(question)) return ''
  const body = fixture === undefined ? {} : { fixture }
  const summary = await ask<ResetSummary>('reset', { run: shownRun.value, method: 'POST', body })
  refresh()
  return `Reset to ${summary.fixture ?? 'the inline fixture'}: ${countedAll(summary.collections)}.`
}

export function FixturesView({ diff }: { diff: StateDiff | undefined }) {
  const { value: fixtures = [] } = useData<readonly FixtureSummary[]>('fixtures')
  const [error, act] = useAction()
  const [done, setDone] = useState('')
  const [name, setName] = useState('')
  const say = (action: () => Promise<string>) => act(async () => setDone(await action()))
  const download = async (): Promise<string> => {
    const { $seed: _, ...document_ } = await ask<Readonly<Record<string, unknown>>>('state', { run: shownRun.value })
    const url = URL.createObjectURL(new Blob([`${JSON.stringify(document_, null, 2)}\n`], { type: 'application/json' }))
    const file = `${shownRun.value}-state.json`
    Object.assign(document.createElement('a'), { href: url, download: file }).click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
    return `Saved as ${file}.`
  }
  const write = async (): Promise<string> => {
    await ask(`fixtures/${encodeURIComponent(name)}`, { run: shownRun.value, method: 'PUT' })
    refresh()
    return `Saved as the fixture ${name}.`
  }
  return (
    <div class="columns">
      <section class="panel" aria-label="Fixtures">
        <h3>Fixtures</h3>
        <p>A reset sets the state to a fixture, and clears the requests, the faults and the coverage.</p>
        <p class="good" role="status">
          {done}
        </p>
        <ProblemText error={error} />
        <ul class="plain cards">
          {fixtures.map(({ callers = 0, collections, description, name: each, problems }) => (
            <li key={each} class="card">
              <h4>
                {each} {each === diff?.fixture && <span class="quiet">(the current one)</span>}
              </h4>
              {problems ? (
                <ProblemText error={problems.join('\n')} />
              ) : (
                <>
                  <p>
                    {description !== undefined && `${description}. `}
                    {countedAll(collections)}, {counted(callers, 'caller')}.
                  </p>
                  {!isEnded.value && (
                    <div>
                      <Button press={() => say(async () => resetTo(each, diff))}>Reset to {each}</Button>
                    </div>
                  )}
                </>
              )}
            </li>
          ))}
        </ul>
        <h3>Save the current state</h3>
        <div class="row end">
          <Button press={() => say(download)}>Save as a file</Button>
          <TextField label="Fixture" hint="Needs --fixtures-writable." name="fixture" value={name} set={setName} />
          <Button press={() => say(write)} disabled={name === ''}>
            Save into the folder
          </Button>
        </div>
      </section>
      <NewSandbox />
    </div>
  )
}

function NewSandbox() {
  const [error, act] = useAction()
  const [name, setName] = useState('')
  const run = shownRun.value
  const create = async (): Promise<void> => {
    const made = await ask<{ readonly name: string }>('sandboxes', {
      run: rootRun,
      method: 'POST',
      body: name === '' ? {} : { name },
    })
    goTo('requests', { run: made.name })
    refresh()
  }
  const drop = async (): Promise<void> => {
    await ask(`sandboxes/${encodeURIComponent(run)}`, { run: rootRun, method: 'DELETE' })
    refresh()
  }
  return (
    <section class="panel" aria-label="Sandboxes">
      <h3>Sandboxes</h3>
      <p>A sandbox is a complete double under its own base URL. The runs list them.</p>
      <form
        class="row end"
        aria-label="Create a sandbox"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void act(create)
        }}
      >
        <TextField
          label="Name"
          name="name"
          placeholder="a random name"
          value={name}
          set={(text) => setName(text.trim())}
        />
        <button class="primary">Create a sandbox</button>
      </form>
      {run !== rootRun && !isEnded.value && (
        <div>
          <Button press={() => act(drop)}>Drop {run}</Button>
        </div>
      )}
      <ProblemText error={error} />
    </section>
  )
}
