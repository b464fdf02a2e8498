/** Asks the user for the admin token if the double requires one. */
import { useState } from 'preact/hooks'

import { adminToken, ask, keepAdminToken, RefusedError, refusedTokens } from './api.js'
import { Field, Form } from './controls.js'
import { ProblemText } from './texts.js'

/** @param onDone - Called when the double has accepted the token. */
export function SignIn({ onDone }: { onDone: () => void }) {
  const [token, setToken] = useState('')
  const [wasRefused] = useState(adminToken() !== null)
  const enter = async (): Promise<void> => {
    // A header cannot contain other characters, and the error message of fetch does not help the user.
    if (!/^[\x21-\x7e]+$/u.test(token)) throw new RefusedError('Enter the token that was given with --admin-token.')
    keepAdminToken(token)
    // A short response that needs the token.
    await ask('faults')
    refusedTokens.value = 0
    onDone()
  }
  return (
    <section class="panel">
      <h2>Admin token</h2>
      <ProblemText error={wasRefused ? 'The earlier token is not accepted.' : undefined} />
      <Form button="Enter" action={enter}>
        <p class="quiet">The double was started with --admin-token. The token is kept until this tab is closed.</p>
        <Field label="Token" type="password" autofocus value={token} set={(text) => setToken(text.trim())} />
      </Form>
    </section>
  )
}
