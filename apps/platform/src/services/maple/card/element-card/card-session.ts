import type { SessionPurpose } from '@grove/contract/maple/card/session.rules'
import { DecodeError } from '@grove/secure-element/decode-error'
import { CommandError } from '@grove/secure-element/host/command-error'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { SessionContext } from '../context.ts'
import type { ElementSession } from '../session/element-session.ts'
import { withSession } from '../session/open-session.ts'
import { SessionError } from '../session/session-error.ts'
import { cardFailed } from './card-failed.ts'

/** Authenticates and encrypts commands; every card that has a secure channel has this level. */
export const level = 0x03

/** Works with the issuer security domain of a card; what fails names the session that shows it. */
export const onCard = <Result>(
  context: SessionContext,
  actor: Actor,
  { cplc, purpose }: { cplc: string; purpose: SessionPurpose },
  work: (session: ElementSession) => Promise<Result>,
): Promise<Result> =>
  withSession(context, actor, { cplc, purpose }, async (session) => {
    try {
      await session.select()
      return await work(session)
    } catch (error) {
      throw problemOf(error, session)
    }
  })

function problemOf(error: unknown, { id }: ElementSession): unknown {
  if (error instanceof SessionError && error.code === 'element_blocked')
    return new ProblemError('element_blocked', error.message)
  const isCards =
    error instanceof SessionError || error instanceof CommandError || error instanceof DecodeError
  return isCards ? cardFailed(error.message, id) : error
}
