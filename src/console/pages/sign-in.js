/** Asks the user for the admin token if the double requires one. */
import { RefusedError, adminToken, ask, keepAdminToken } from './api.js'
import { onSubmit } from './controls.js'
import { byId, make, showText } from './dom.js'

/** Tells whether an error means that the admin token is missing or wrong. */
export const isUnauthorized = (error) => error instanceof RefusedError && error.status === 401

/** Waits until the control plane accepts requests. Asks for the admin token if it is required. @throws Any other error. */
export async function signIn() {
  try {
    // A short response that needs the token.
    await ask('faults')
  } catch (error) {
    if (!isUnauthorized(error)) throw error
    await tokenGiven(adminToken() === null ? '' : error.message)
  }
}

function tokenGiven(problem) {
  keepAdminToken('')
  return new Promise((resolve) => {
    const described = { 'aria-describedby': 'token-about' }
    const input = make('input', { id: 'token', type: 'password', autocomplete: 'off', ...described })
    const about = 'The double was started with --admin-token. The token is kept until this tab is closed.'
    const answer = make('p.problem', { role: 'alert' })
    showText(answer, problem)
    const form = make(
      'form.panel.sign-in',
      { novalidate: true },
      make('h2', 'Admin token'),
      make('p.quiet', { id: 'token-about' }, about),
      make('div.row', make('label', { for: 'token' }, 'Token'), input, make('button.primary', 'Enter')),
      answer,
    )
    const enter = async () => {
      try {
        await tryToken(input.value.trim())
        form.remove()
        resolve()
      } catch (error) {
        showText(answer, error.message)
        input.focus()
      }
    }
    onSubmit(form, () => void enter())
    byId('sign-in').replaceChildren(form)
    input.focus()
  })
}

async function tryToken(token) {
  // A header cannot contain other characters, and the error message of fetch does not help the user.
  if (!/^[\x21-\x7e]+$/u.test(token)) throw new Error('Enter the token that was given with --admin-token.')
  keepAdminToken(token)
  try {
    await ask('faults')
  } catch (error) {
    keepAdminToken('')
    throw error
  }
}
