import { parseJws, type Jws } from '../../session/jws.ts'
import { algorithms, fits, importJwk } from '../../session/keys.ts'
import { createSession } from '../../session/session.ts'
import type { Claims } from '../../session/token.ts'
import { keysOf } from '../../session/configured-keys.ts'
import { createVerifier } from '../../session/verify-token.ts'
import { quoted } from './answer.ts'
import { skewOf } from './clock.ts'
import type { Context, ReceivedToken } from './context.ts'

type Problem = [code: string, what: string, right: string]

/** Verifies a token like the client, and reports why if that fails. */
export async function judgeSignature(
  { report, options, tokens }: Context,
  keys: readonly Claims[],
  token: ReceivedToken,
  kind: 'first' | 'later',
): Promise<void> {
  const call = token.call
  let jws: Jws
  try {
    jws = parseJws(token.accessToken)
  } catch {
    // Its form has been reported already.
    return
  }
  if (!(jws.header.alg in algorithms)) return
  const problem = await problemOf(jws, keys)
  if (problem) return report.wrong(problem[0], call, problem[1], problem[2])
  const failure = await verify(keys, token)
  if (failure === null) {
    if (kind === 'first')
      report.fits('signature', call, 'The access token verifies against the published keys')
    return
  }
  // Otherwise the reason has been reported with its form or its claims.
  if (!tokens.hasFaults())
    report.wrong(
      'not_valid',
      call,
      `The signature verifies, and yet the token is not valid: ${failure}`,
      'Compare its header and its claims to "The token" of PROTOCOL.md',
    )

  /** Null if it is valid; otherwise the reason. */
  async function verify(keys: readonly Claims[], token: ReceivedToken): Promise<string | null> {
    const { receivedAt } = token
    const send: typeof fetch = async () => Response.json({ keys })
    const verifier = createVerifier(
      {},
      keysOf({ jwksUrl: options.url }, { authUrl: options.url, fetch: send }),
    )
    const session = createSession(token, { receivedAt, known: skewOf(token) })
    return verifier(session, Date.now()).then(
      () => null,
      (error: unknown) => (error as Error).message,
    )
  }
}

async function problemOf(jws: Jws, keys: readonly Claims[]): Promise<Problem | null> {
  const { alg, kid } = jws.header
  const names = keys.map((key) => quoted(key['kid'] ?? 'a key without kid')).join(', ')
  const named = kid === undefined ? keys : keys.filter((key) => key['kid'] === kid)
  if (named.length === 0)
    return [
      'kid_unknown',
      `The token is signed with the key ${quoted(kid)} (kid), which is not published: there are ${names}`,
      'Publish a key before you sign with it, and keep the old one until its tokens have ended',
    ]
  const fitting = named.filter((key) => fits(key, jws.header))
  if (fitting.length === 0)
    return [
      'key_unfit',
      `No published key can verify ${alg}: ${named.map(describe).join('; ')}`,
      'Publish the key with the kty, crv, alg and use "sig" of what you sign with',
    ]
  const reasons: string[] = []
  for (const key of fitting) {
    try {
      const imported = await importJwk(key, alg)
      const algorithm = algorithms[alg]
      if (
        algorithm &&
        (await crypto.subtle.verify(algorithm.crypto, imported, jws.signature, jws.signed))
      )
        return null
    } catch (error) {
      reasons.push((error as Error).message)
    }
  }
  if (reasons.length === fitting.length)
    return [
      'key_broken',
      `A published key cannot be used: ${reasons.join('; ')}`,
      'Publish it as RFC 7518 §6 says; RSA with 2048 bits or more',
    ]
  if (alg === 'ES256' && jws.signature.length !== 64)
    return [
      'signature_form',
      `The signature has ${jws.signature.length} bytes: it is in DER, as TLS has it`,
      'Write r and s, 32 bytes each (RFC 7518 §3.4); in Node, dsaEncoding: "ieee-p1363"',
    ]
  return [
    'bad_signature',
    `The published key ${quoted(fitting[0]?.['kid'])} does not verify the signature of the token`,
    'Publish the public half of the key that you sign with, and give each key a kid of its own',
  ]
}

const describe = (key: Claims) =>
  ['kid', 'kty', 'crv', 'alg', 'use']
    .filter((name) => key[name] !== undefined)
    .map((name) => `${name} ${quoted(key[name])}`)
    .join(', ')
