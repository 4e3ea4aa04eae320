import type { HandlerProgram, HandlerTrigger } from '@grove/contract/maple/program/cloud-handler'
import {
  handlerLimits,
  hostPattern,
  matchPathPattern,
  type HandlerEvent,
  type HandlerLimits,
  type HookProof,
  type TriggerType,
} from '@grove/contract/maple/program/handler.rules'

/** The draft of a handler as its form holds it: each trigger keeps its own input. */
export interface HandlerValues {
  type: TriggerType
  events: HandlerEvent[]
  kinds: string
  match: string
  cron: string
  zone: string
  proof: HookProof
  code: string
  hosts: string
  milliseconds: string
  calls: string
  kilobytes: string
  attempts: string
}

export const limitNames = Object.keys(handlerLimits) as (keyof HandlerLimits)[]

/** Names separated by commas, spaces or line breaks. */
export const listOf = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter((part) => part !== '')),
]

interface Match {
  path: string
  value: string | number | boolean | null
}

/** A field and its value on each line: `data.alarm = true`. Undefined for a line of any other form. */
export function readMatch(text: string): (Match | undefined)[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf('=')
      const path = line.slice(0, at).trim()
      if (at < 1 || !new RegExp(matchPathPattern).test(path)) return undefined
      return { path, value: valueOf(line.slice(at + 1).trim()) }
    })
}

/** JSON for a number, true, false, null and quoted text; other text as is. */
function valueOf(text: string): Match['value'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? text : (value as Match['value'])
  } catch {
    return text
  }
}

const shownValue = (value: Match['value']): string =>
  typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value)

const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

const first: HandlerValues = {
  type: 'event',
  events: ['device.online'],
  kinds: '',
  match: '',
  cron: '0 6 * * *',
  zone: '',
  proof: 'token',
  code: '',
  hosts: '',
  ...limitTexts(
    Object.fromEntries(
      limitNames.map((name) => [name, handlerLimits[name].ordinary]),
    ) as HandlerLimits,
  ),
}

function limitTexts({ milliseconds, calls, kilobytes, attempts }: HandlerLimits) {
  return {
    milliseconds: String(milliseconds),
    calls: String(calls),
    kilobytes: String(kilobytes),
    attempts: String(attempts),
  }
}

export const newValues = (): HandlerValues => ({ ...first, zone: ownZone() })

export const valuesOf = ({ trigger, code, hosts, limits }: HandlerProgram): HandlerValues => ({
  ...newValues(),
  type: trigger.type,
  ...(trigger.type === 'event' && {
    events: trigger.events,
    kinds: trigger.kinds.join(', '),
    match: trigger.match.map(({ path, value }) => `${path} = ${shownValue(value)}`).join('\n'),
  }),
  ...(trigger.type === 'schedule' && { cron: trigger.cron, zone: trigger.zone }),
  ...(trigger.type === 'webhook' && { proof: trigger.proof }),
  code,
  hosts: hosts.join('\n'),
  ...limitTexts(limits),
})

export function triggerOf(values: HandlerValues): HandlerTrigger {
  const { type, events, kinds, match, cron, zone, proof } = values
  if (type === 'schedule')
    return { type, cron: cron.trim().replaceAll(/\s+/g, ' '), zone: zone.trim() }
  if (type === 'webhook') return { type, proof }
  return {
    type,
    events,
    kinds: events.includes('device.message') ? listOf(kinds) : [],
    match: readMatch(match).filter((each) => each !== undefined),
  }
}

export const programOf = (values: HandlerValues): HandlerProgram => ({
  trigger: triggerOf(values),
  code: values.code,
  hosts: listOf(values.hosts.toLowerCase()),
  limits: Object.fromEntries(
    limitNames.map((name) => [name, Number(values[name])]),
  ) as HandlerLimits,
})

/** The first entry that is not a host. */
export const wrongHost = (text: string): string | undefined =>
  listOf(text.toLowerCase()).find((host) => !new RegExp(hostPattern).test(host))

export const isLimit = (name: keyof HandlerLimits, text: string): boolean =>
  /^\d{1,7}$/.test(text) &&
  Number(text) >= handlerLimits[name].least &&
  Number(text) <= handlerLimits[name].most
