import type { Fault, Reply } from './variation.ts'

/** A faulty service, and exactly the findings that the check must report. */
export interface Row {
  name: string
  fault: Fault
  /** Words of the finding, by code. */
  finds: Record<string, string>
  /** 0 if there are only warnings. */
  exit: number
  /** Additional arguments of the command line. */
  args?: string[]
  /** Whether it is found without an account. */
  isPublic?: boolean
}

export const jwksPath = '/.well-known/jwks.json'
export const passwordPath = '/api/token/password'
export const refreshPath = '/api/token/refresh'
export const logoutPath = '/api/logout'
export const origin = 'https://app.example'

export const json = { 'content-type': 'application/json' }
export const page = {
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Hi</title>',
}

/** The answer with other headers; null removes one. */
export function withHeaders(
  { headers }: Reply,
  changed: Record<string, string | string[] | null>,
): Pick<Reply, 'headers'> {
  const all = Object.entries({ ...headers, ...changed })
  return {
    headers: Object.fromEntries(
      all.filter((entry): entry is [string, string] => entry[1] !== null),
    ),
  }
}

/** Changes the answers to one path, but not to its preflight. */
export const at =
  (path: string, replies: NonNullable<Fault['replies']>): NonNullable<Fault['replies']> =>
  (reply, asked) =>
    asked.path === path && asked.method !== 'OPTIONS' ? replies(reply, asked) : undefined

/** An answer of its own that pages can read. */
export const answer =
  (path: string, status: number, body: unknown): NonNullable<Fault['replies']> =>
  (reply, asked) =>
    at(path, () => ({
      status,
      body,
      ...withHeaders(reply, { 'content-type': 'application/json' }),
    }))(reply, asked)

/** Changes the answers to preflights. */
export const preflights =
  (replies: NonNullable<Fault['replies']>): NonNullable<Fault['replies']> =>
  (reply, asked) =>
    asked.method === 'OPTIONS' ? replies(reply, asked) : undefined

/** Changes the token in each answer to a path. */
export const tokens = (
  path: string,
  change: (token: Record<string, unknown>, before: number) => unknown,
): NonNullable<Fault['replies']> =>
  at(path, ({ status, body }, { before }) => {
    const { token } = Object(body) as { token?: Record<string, unknown> }
    return status === 200 && token ? { body: change(token, before) } : undefined
  })
