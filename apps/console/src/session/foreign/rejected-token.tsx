import { msg } from '@lingui/core/macro'
import { ApiProblem } from '../../api/problem.ts'
import { addMessages } from '../../ui/i18n/locale.ts'
import { stage } from '../stage.ts'
import { ForeignNote } from './foreign-note.tsx'

/** What an operator of the service needs. */
export const troubleDetails = (reason: string) =>
  [
    `Authentication service: ${stage.default.auth_api_url || location.origin}`,
    `Realm: ${stage.default.auth_api_provider}`,
    reason,
  ].join('\n')

/** The problem of a sign-in that the service accepted, but with a token that can never be verified. */
export async function rejectedToken(error: unknown) {
  await addMessages('foreign')
  const reason = error instanceof Error ? error.message : String(error)
  const problem = new ApiProblem({ code: 'token_rejected' }, 0)
  problem.foreign = {
    text: msg`The sign-in service accepted you, but this console cannot accept its token (${reason}). The operator of the service needs to know.`,
    more: <ForeignNote details={troubleDetails(reason)} hasWayBack={false} />,
    isLacking: false,
  }
  return problem
}
