import { judgeLogout, logoutCall } from './logout.ts'
import { attempt, type Context, type ReceivedToken } from './context.ts'
import { loadKeys } from './keys.ts'
import { judgeWrongPassword, passwordCall, signIn } from './password.ts'
import { judgeRefresh, refreshCall } from './refresh.ts'
import { judgeSignature } from './signature.ts'
import type { Answer } from './answer.ts'
import type { Claims } from '../../session/token.ts'

/** Signs in and follows a session to its end; `sessions` collects what has to be signed out. */
export async function judgeAccount(
  context: Context,
  stranger: Answer | null,
  sessions: Set<ReceivedToken>,
): Promise<void> {
  const { report, options, tokens } = context
  const { email, password } = options
  if (email === undefined || password === undefined)
    return report.skipped(
      'no_account',
      passwordCall,
      'Signing in: give --email, and the password in GROVE_PASSWORD',
    )
  if (stranger)
    await attempt(context, passwordCall, () => judgeWrongPassword(context, email, stranger))

  let keys: readonly Claims[] | null = null
  let session: ReceivedToken | null = null
  await attempt(context, passwordCall, async () => {
    session = await begin()
    if (session === null) return
    report.fits('sign_in', passwordCall, 'Signs in: the answer has a token')
    tokens.judge(session, 'first')
  })
  await attempt(context, `GET ${options.jwksUrl ?? 'the keys'}`, async () => {
    keys = await loadKeys(context)
  })
  if (session === null) return
  const first: ReceivedToken = session
  if (keys !== null) await judgeSignature(context, keys, first, 'first')
  await attempt(context, refreshCall, async () => {
    session = null
    const left = await judgeRefresh(context, first)
    sessions.delete(first)
    if (left) sessions.add(left)
    session = left
  })
  await attempt(context, logoutCall, async () => {
    session ??= await begin()
    if (session === null) return
    if (keys !== null && session !== first) await judgeSignature(context, keys, session, 'later')
    await judgeLogout(context, session)
    sessions.delete(session)
  })

  async function begin(): Promise<ReceivedToken | null> {
    const token = await signIn(context)
    if (token) sessions.add(token)
    return token
  }
}
