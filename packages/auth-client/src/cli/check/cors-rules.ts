// A browser's checks (Fetch §4.9, §4.10), without credentials: the client sends none to other
// origins.

export interface CorsProblem {
  code: string
  what: string
  right: string
}

export const listOf = (value: string | null) =>
  (value ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')

/** Whether a page of this origin may read an answer with these headers. */
export function answerProblem(headers: Headers, origin: string): CorsProblem | null {
  const allowed = headers.get('access-control-allow-origin')
  if (allowed === '*' || allowed === origin) return null
  const right = `Send Access-Control-Allow-Origin: ${origin} with every answer, refusals too`
  if (allowed === null)
    return {
      code: 'cors_missing',
      what: `Access-Control-Allow-Origin is missing: pages of ${origin} get "Network Error" instead`,
      right,
    }
  if (allowed.includes(','))
    return {
      code: 'cors_twice',
      what: `Access-Control-Allow-Origin has several values (${allowed}), and browsers take one`,
      right: `${right}; only one of service and proxy may set it`,
    }
  return {
    code: 'cors_origin',
    what: `Access-Control-Allow-Origin is ${allowed}, not ${origin}${allowed.replace(/\/$/, '') === origin ? ': the slash at its end is wrong' : ''}`,
    right,
  }
}

/** Whether the answer to a preflight allows a page to send these headers. */
export function preflightProblem(
  status: number,
  headers: Headers,
  { origin, needed }: { origin: string; needed: readonly string[] },
): CorsProblem | null {
  const ownAddress = 'Answer OPTIONS with 204 and the headers of CORS, without asking for a sign-in'
  if (status === 405 || status === 501 || status === 404)
    return {
      code: 'preflight_missing',
      what: `The preflight was answered ${status}: the service does not know OPTIONS here, so browsers send nothing`,
      right: ownAddress,
    }
  if (status === 401 || status === 403)
    return {
      code: 'preflight_refused',
      what: `The preflight was refused with ${status}: browsers send it without a token or cookies`,
      right: ownAddress,
    }
  if (status < 200 || status > 299)
    return {
      code: 'preflight_status',
      what: `The preflight was answered ${status}; browsers take 200 to 299 alone`,
      right: ownAddress,
    }
  const problem = answerProblem(headers, origin)
  if (problem) return problem
  const allowed = listOf(headers.get('access-control-allow-headers'))
  // The asterisk covers every header except this one (Fetch §4.9).
  const missing = needed.filter(
    (name) => !allowed.includes(name) && (name === 'authorization' || !allowed.includes('*')),
  )
  if (missing.length === 0) return null
  return {
    code: 'preflight_headers',
    what: `The preflight does not allow ${missing.join(', ')}: ${allowed.length === 0 ? 'it allows no header' : `it allows ${allowed.join(', ')}`}`,
    right: `Send Access-Control-Allow-Headers: ${needed.join(', ')}`,
  }
}

/** Whether a page may read this response header. */
export const isExposed = (headers: Headers, name: string) =>
  listOf(headers.get('access-control-expose-headers')).some((each) => each === '*' || each === name)
