import type { Static, TSchema } from 'typebox'

/**
 * Who may make a call. `public`: anyone. `anonymous`: any verified access token, also one that names
 * nobody. `signedIn`: the verified access token of an account.
 * `developer` and `admin`: a token whose role, or one of its roles, equals a dashboard role
 * (an admin may make a developer's calls).
 */
export type Access = 'public' | 'anonymous' | 'signedIn' | 'developer' | 'admin'

/** One HTTP call of the platform: what the server validates, documents and serialises from. */
export interface Call {
  summary: string
  description?: string
  access: Access
  /** Path parameters. */
  params?: TSchema
  query?: TSchema
  /** A JSON body. */
  body?: TSchema
  /** The body is `application/x-www-form-urlencoded` in place of JSON. */
  isFormEncoded?: boolean
  /** Form fields of a `multipart/form-data` body, whose one file part is named `file`. */
  form?: TSchema
  response: TSchema
  /** Status of a success; 200 when left out. 204 has no body. */
  status?: 200 | 201 | 204
  /** Media type of a success that is not JSON. */
  produces?: string
  /** Codes of problem details beyond those every call may answer. */
  problems?: readonly string[]
}

export type CallKey = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

/** Keeps the literal keys and schemas of a feature's calls while checking their shape. */
export const defineCalls = <const T extends Record<CallKey, Call>>(calls: T): T => calls

type Part<C extends Call, K extends keyof Call> = C[K] extends TSchema ? Static<C[K]> : undefined

export type ParamsOf<C extends Call> = Part<C, 'params'>
export type QueryOf<C extends Call> = Part<C, 'query'>
export type BodyOf<C extends Call> = Part<C, 'body'>
export type FormOf<C extends Call> = Part<C, 'form'>
export type ResponseOf<C extends Call> = Part<C, 'response'>
