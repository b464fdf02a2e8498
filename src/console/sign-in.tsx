/** Asks the user for the admin token if the double requires one. */
import { useRef, useState } from 'preact/hooks'

import { adminToken, ask, keepAdminToken, refusedTokens } from './api.js'
import { ProblemText } from './parts.js'

/** @param onDone - Called when the double has accepted the token. */
export function SignIn({ onDone }: { onDone: () => void }) {
  const [error, setError] = useState<unknown>(() =>
    adminToken() === null ? undefined : 'The admin token is not accepted.',
  )
  const input = useRef<HTMLInputElement>(null)
  const enter = async (): Promise<void> => {
    const token = input.current?.value.trim() ?? ''
    // A header cannot contain other characters, and the error message of fetch does not help the user.
    if (!/^[\x21-\x7e]+$/u.test(token)) throw new TypeError('Enter the token that was given with --admin-token.')
    keepAdminToken(token)
    try {
      // A short response that needs the token.
      await ask('faults')
    } catch (refusal) {
      keepAdminToken('')
      throw refusal
    }
    refusedTokens.value = 0
    onDone()
  }
  return (
    <form
      class="panel sign-in"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        enter().catch((refusal: unknown) => {
          setError(refusal instanceof TypeError ? refusal.message : refusal)
          input.current?.focus()
        })
      }}
    >
      <h2>Admin token</h2>
      <p class="quiet" id="token-about">
        The double was started with --admin-token. The token is kept until this tab is closed.
      </p>
      <div class="row">
        <label for="token">Token</label>
        <input ref={input} id="token" type="password" autocomplete="off" autofocus aria-describedby="token-about" />
        <button class="primary">Enter</button>
      </div>
      <ProblemText error={error} />
    </form>
  )
}
