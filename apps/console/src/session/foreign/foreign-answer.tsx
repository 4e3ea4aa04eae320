import { readAnswer, type AnswerShapes, type Finding } from '@grove/contract/answer-reader.rules'
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ForeignCall, ReadForeign } from '../../api/create-api.ts'
import { ApiProblem, parseProblem } from '../../api/problem.ts'
import { auth } from '../auth.ts'
import { services } from '../services.ts'
import { addMessages } from '../../ui/i18n/locale.ts'
import { dash } from '../../ui/i18n/moment-text.ts'
import { ForeignNote } from './foreign-note.tsx'
import { keepLacking, lackingOf } from './lacking-pages.ts'
import { withVersions } from './with-versions.ts'

const shapesOf: Record<ForeignCall['service'], () => Promise<{ answers: AnswerShapes }>> = {
  cedar: () => import('./cedar.gen.ts'),
  maple: () => import('./maple.gen.ts'),
}

const keyOf = ({ method, path }: ForeignCall) => `${method} ${path}`

/** How much of a response an operator gets. */
const excerpt = 500

interface Trouble {
  status: number
  text: MessageDescriptor | undefined
  /** The same in English. */
  reason: string
  answer: string
  isLacking?: boolean
}

/** Adds to a problem what its reader and the service's operator need. */
async function explained(problem: ApiProblem, call: ForeignCall, trouble: Trouble) {
  const { status, text, reason, answer, isLacking = false } = trouble
  await addMessages('foreign')
  const details = [
    `${keyOf(call)} ${JSON.stringify({ ...call.options.params, ...call.options.query })}`,
    `Status: ${status}`,
    reason,
    // Answers to changes may contain secrets.
    ...(call.method === 'GET' && answer !== '' ? [`Answer: ${answer.slice(0, excerpt)}`] : []),
  ].join('\n')
  problem.foreign = {
    more: <ForeignNote details={details} hasWayBack={isLacking} />,
    isLacking,
    ...(text && { text }),
  }
  return problem
}

/**
 * Validates a response against the contract's shapes; rejects with a problem that names the call and
 * the field.
 */
async function read(call: ForeignCall, response: Response): Promise<unknown> {
  const { answers } = await shapesOf[call.service]()
  const shape = answers.calls[keyOf(call)]
  const { status } = response
  const answer = await response.text()
  // The response of a call that returns nothing.
  if (shape === undefined) return null
  const parsed = parse(answer)
  const { path, method, options } = call
  const isChange = method !== 'GET'
  if (!isChange && parsed === undefined)
    throw await explained(new ApiProblem({ code: 'no_json' }, status), call, {
      status,
      answer,
      ...noJson(keyOf(call), answer),
    })
  // A response to a change may omit what was sent.
  const sent = { ...options.query, ...options.params, ...(Object(options.body) as object) }
  const own = Array.isArray(parsed) ? { items: parsed } : isFields(parsed) ? parsed : {}
  const given = isChange ? { ...sent, ...own } : parsed
  const { value, findings } = readAnswer(answers, shape, given)
  // A change may return nothing: the list is then refetched.
  const finding = findings.find(({ isNeeded, path }) => isNeeded && !(isChange && path === 'items'))
  if (!finding) return withVersions(isChange ? value : filtered(value, options.query ?? {}))
  const texts = isChange
    ? afterChange(`${method} ${path}`, finding)
    : unfit(`${method} ${path}`, finding)
  throw await explained(new ApiProblem({ code: 'answer_unfit' }, status), call, {
    status,
    answer,
    ...texts,
  })
}

/**
 * Applies the request's filters to a list: a service that does not know one returns everything, which
 * would appear to be the result. A field that an item lacks excludes nothing.
 */
function filtered(value: unknown, query: NonNullable<ForeignCall['options']['query']>): unknown {
  const items = Array.isArray(value)
    ? value
    : isFields(value) && (value as { items?: unknown }).items
  if (!Array.isArray(items)) return value
  const fits = (item: unknown) =>
    Object.entries(query).every(([name, wanted]) => {
      const own = (item as Record<string, unknown>)[name]
      if (wanted === undefined || !['string', 'boolean'].includes(typeof own) || own === '')
        return true
      return String(wanted)
        .split(',')
        .some((each) => each.toLowerCase() === String(own).toLowerCase())
    })
  const left = items.filter(fits)
  return Array.isArray(value) ? left : { ...(value as object), items: left }
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function noJson(call: string, answer: string) {
  if (answer.trim() === '')
    return {
      text: msg`${call} answered with nothing instead of JSON.`,
      reason: 'The answer is empty, not JSON.',
    }
  return answer.trimStart().startsWith('<')
    ? {
        text: msg`${call} answered with a web page instead of JSON.`,
        reason: 'The answer is HTML, not JSON.',
      }
    : {
        text: msg`${call} answered with plain text instead of JSON.`,
        reason: 'The answer is plain text, not JSON.',
      }
}

const kindNames = {
  text: 'text',
  moment: 'a date and time (RFC 3339)',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
  choice: 'one of the values of the protocol',
}

function unfit(call: string, { path, isMissing, kind }: Finding) {
  const field = path === '' ? '(answer)' : path
  if (isMissing)
    return { text: msg`${call}: “${field}” is missing.`, reason: `${field} is missing.` }
  const reason = `${field} must be ${kindNames[kind]}.`
  const texts: Record<Finding['kind'], MessageDescriptor> = {
    text: msg`${call}: “${field}” must be text.`,
    moment: msg`${call}: “${field}” must be a date and time.`,
    number: msg`${call}: “${field}” must be a number.`,
    boolean: msg`${call}: “${field}” must be true or false.`,
    list: msg`${call}: “${field}” must be a list.`,
    object: msg`${call}: “${field}” must be an object.`,
    choice: msg`${call}: “${field}” has a value that the protocol does not have.`,
  }
  return { text: texts[kind], reason }
}

const afterChange = (call: string, finding: Finding) => ({
  text: msg`The service made the change, but its answer to ${call} lacks “${finding.path}”. Reload the page to see the change.`,
  reason: unfit(call, finding).reason,
})

/** Query parameters that identify one item, so that a 404 is about that item. */
const ofOne = /id$|^(cplc|provider|user)$/i

function isCallMissing({ method, path, options }: ForeignCall, status: number): boolean {
  if (status === 405 || status === 501) return true
  return (
    status === 404 &&
    method === 'GET' &&
    !path.includes('{') &&
    !Object.entries(options.query ?? {}).some(
      ([name, value]) => value !== undefined && ofOne.test(name),
    )
  )
}

/** The problem for a refusal: a standard one, or one that names the call. */
async function refuse(call: ForeignCall, response: Response): Promise<ApiProblem> {
  const { status, headers } = response
  const answer = await response.text()
  const problem = parseProblem(answer, status, headers.get('retry-after'))
  const key = keyOf(call)
  const isLacking = isCallMissing(call, status)
  if (isLacking) keepLacking([key])
  const isOwnWords = !problem.detail.startsWith('Request failed with status code')
  const words = isOwnWords ? problem.detail : ''
  return explained(problem, call, {
    status,
    answer,
    isLacking,
    reason: isLacking ? 'The service does not have this call.' : words,
    text: isLacking
      ? msg`This service does not offer this: it answered ${status} to ${key}.`
      : // Standard codes have their own texts.
        problem.code !== `http_${status}`
        ? undefined
        : isOwnWords
          ? msg`${key} answered ${status}: ${words}`
          : status >= 500
            ? msg`The service is not responding correctly. ${key} answered ${status}.`
            : msg`${key} answered ${status}.`,
  })
}

const asked = new Set<ForeignCall['service']>()

/** A service may list its calls: the menu then shows only what it has, before anything is opened. */
async function askAbout(service: ForeignCall['service']) {
  if (asked.has(service)) return
  asked.add(service)
  const { url, apiVersion } = services[service]
  try {
    const response = await auth.fetch(`${url}/api/${service}/about`, { apiVersion })
    const { calls } = (await response.json()) as { calls?: unknown }
    if (response.ok && Array.isArray(calls)) keepLacking(lackingOf(service, calls))
  } catch {
    // Most services say nothing about themselves.
  }
}

// Numbers missing from a response show as absent.
const numberText = i18n.number.bind(i18n)
i18n.number = (value, format) =>
  (value as number | undefined) === undefined ? dash : numberText(value, format)

export const readForeign: ReadForeign = async (call, response) => {
  void askAbout(call.service)
  if (!response.ok) throw await refuse(call, response)
  const { headers } = response
  // An empty response is parsed too: a change may omit what was sent.
  return {
    status: 200,
    headers,
    json: () => read(call, response),
    blob: () => response.blob(),
  } as Response
}
