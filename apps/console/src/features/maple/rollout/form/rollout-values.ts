import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Rollout, RolloutPlan } from '@grove/contract/maple/rollout/rollout'
import {
  usualAtOnce,
  usualThresholds,
  type AppletAction,
  type GroupSizing,
  type ProgramKind,
} from '@grove/contract/maple/rollout/rollout.rules'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

/** A group as typed. */
export interface GroupDraft {
  key: string
  by: GroupSizing
  amount: string
  success: string
  errorShare: string
  errorMinimum: string
  mostErrors: string
  pausesAfter: boolean
}

export interface RolloutValues {
  name: string
  kind: ProgramKind
  program: ComboboxOption | null
  /** For an applet. */
  action: AppletAction
  /** For an applet: the security domain on whose behalf it is done; empty for the issuer’s. */
  domain: string
  /** The values of a template or script, by name. */
  input: Record<string, string>
  /** Whose devices get it; for an image also which images are listed. */
  product: ComboboxOption | null
  /** The devices of this group; empty for all groups. */
  groupId: string
  by: 'filter' | 'devices'
  type: string
  state: string
  tag: string
  attribute: string
  devices: ComboboxOption[]
  canaries: ComboboxOption[]
  groups: GroupDraft[]
  atOnce: string
  perMinute: string
  runMinutes: string
  startHours: string
  /** As in the browser's own field, in the reader's time zone; empty to start immediately. */
  startsAt: string
  joinUntil: string
  hasWindow: boolean
  from: string
  to: string
  zone: string
}

type Body = BodyOf<Calls['POST /api/maple/rollouts']>
type Group = RolloutPlan['groups'][number]

export const newGroup = (more: Partial<Group> = {}): GroupDraft => {
  const { by = 'rest', amount = 0, pausesAfter = false, ...given } = more
  const thresholds = { ...usualThresholds, ...given }
  return {
    key: crypto.randomUUID(),
    by,
    amount: amount === 0 ? '' : String(amount),
    success: String(thresholds.success),
    errorShare: String(thresholds.errorShare),
    errorMinimum: String(thresholds.errorMinimum),
    mostErrors: thresholds.mostErrors === null ? '' : String(thresholds.mostErrors),
    pausesAfter,
  }
}

const usualValues = (): RolloutValues => ({
  name: '',
  kind: 'applet',
  program: null,
  action: 'install',
  domain: '',
  input: {},
  product: null,
  groupId: '',
  by: 'filter',
  type: '',
  state: '',
  tag: '',
  attribute: '',
  devices: [],
  canaries: [],
  groups: [newGroup({ by: 'share', amount: 1 }), newGroup({ by: 'share', amount: 10 }), newGroup()],
  atOnce: String(usualAtOnce),
  perMinute: '',
  runMinutes: '30',
  startHours: '24',
  startsAt: '',
  joinUntil: '',
  hasWindow: false,
  from: '22:00',
  to: '05:00',
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

const optionOf = (id: string): ComboboxOption => ({ id, label: id })

/** What a new rollout brings, as the URL says. */
export interface StartProgram {
  kind: ProgramKind
  id: string
  product: string | undefined
}

/** The values of a draft, or of a new rollout. */
export function valuesOf(rollout?: Rollout, start?: StartProgram): RolloutValues {
  const usual = usualValues()
  if (!rollout)
    return start
      ? {
          ...usual,
          kind: start.kind,
          program: { id: start.id, label: '…' },
          product: start.product === undefined ? null : { id: start.product, label: '…' },
        }
      : usual
  const { name, program, targets, plan } = rollout
  const { filter = {}, devices } = targets
  const { window } = plan
  return {
    ...usual,
    name,
    kind: program.kind,
    program: { id: program.id, label: `${program.name} ${program.version}` },
    action: (program.input['action'] as AppletAction | undefined) ?? 'install',
    domain: typeof program.input['domain'] === 'string' ? program.input['domain'] : '',
    input: textsOf(program.input),
    groupId: filter.groupId ?? '',
    product: filter.productId === undefined ? null : { id: filter.productId, label: '…' },
    by: devices ? 'devices' : 'filter',
    type: filter.type ?? '',
    state: filter.state ?? '',
    tag: filter.tag ?? '',
    attribute: filter.attribute ?? '',
    devices: (devices ?? []).map(optionOf),
    canaries: plan.canaries.map((cplc) => ({ id: cplc, label: cplc.slice(24, 32) })),
    groups: plan.groups.map(newGroup),
    atOnce: String(plan.atOnce),
    perMinute: plan.perMinute === null ? '' : String(plan.perMinute),
    runMinutes: String(plan.runMinutes),
    startHours: String(plan.startHours),
    startsAt: localOf(plan.startsAt),
    joinUntil: localOf(targets.joinUntil ?? null),
    ...(window && { hasWindow: true, ...window }),
  }
}

const textsOf = (input: Rollout['program']['input']) =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  )

function localOf(moment: string | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const momentOf = (local: string): string | null =>
  local === '' ? null : new Date(local).toISOString()

/** The query sent to the service to find the devices. */
export function filterOf(values: RolloutValues): Record<string, string> {
  const { product, groupId, type, state, tag, attribute } = values
  const productId = product?.id ?? ''
  const filter = { productId, groupId, type, state, tag: tag.trim(), attribute: attribute.trim() }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
}

export const groupsOf = (groups: readonly GroupDraft[]): Group[] =>
  groups.map(({ by, amount, success, errorShare, errorMinimum, mostErrors, pausesAfter }) => ({
    by,
    amount: by === 'rest' ? 0 : Number(amount),
    success: Number(success),
    errorShare: Number(errorShare),
    errorMinimum: Number(errorMinimum),
    mostErrors: mostErrors === '' ? null : Number(mostErrors),
    pausesAfter,
  }))

export const planOf = (values: RolloutValues): RolloutPlan => ({
  canaries: values.kind === 'image' ? [] : values.canaries.map(({ id }) => id),
  groups: groupsOf(values.groups),
  atOnce: Number(values.atOnce),
  perMinute: values.perMinute === '' ? null : Number(values.perMinute),
  window: values.hasWindow ? { from: values.from, to: values.to, zone: values.zone.trim() } : null,
  runMinutes: Number(values.runMinutes),
  startHours: Number(values.startHours),
  startsAt: momentOf(values.startsAt),
})

const plain = (aid: string): string => aid.replaceAll(/[\s:]/g, '').toUpperCase()
/** Empty for the issuer's domain. */
export const isDomain = (aid: string): boolean =>
  aid.trim() === '' || /^([0-9A-F]{2}){5,16}$/.test(plain(aid))

/** An empty value means the default for a template, and an empty text for a script. */
function inputOf({ kind, action, domain, input }: RolloutValues, asked: readonly string[]) {
  if (kind === 'applet') return { action, ...(domain.trim() !== '' && { domain: plain(domain) }) }
  if (kind === 'image') return {}
  if (kind === 'script') return { ...Object.fromEntries(asked.map((name) => [name, ''])), ...input }
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''))
}

/** `asked` has the names of the inputs that a script reads. */
export function bodyOf(values: RolloutValues, asked: readonly string[] = []): Body {
  const { kind, program } = values
  const joinUntil = momentOf(values.joinUntil)
  return {
    name: values.name,
    program: { kind, id: program?.id ?? '', input: inputOf(values, asked) },
    targets:
      values.by === 'devices'
        ? { devices: values.devices.map(({ id }) => id) }
        : { filter: filterOf(values), ...(joinUntil !== null && { joinUntil }) },
    plan: planOf(values),
  }
}
