import type { Device } from '@grove/contract'
import { checkCplc, normalizeCplc } from '../element/cplc.ts'

/** A row of the form; the key stays while rows above it come and go. */
export interface ElementRow {
  key: string
  text: string
  /** Attached already: it can be taken away, not rewritten. */
  isAttached: boolean
}

export interface DeviceValues {
  id: string
  name: string
  type: Device['type']
  state: Device['state']
  elements: ElementRow[]
}

export const newDevice: DeviceValues = {
  id: '',
  name: '',
  type: 'iot',
  state: 'pending',
  elements: [],
}

export const valuesOf = ({ id, name, type, state, elements }: Device): DeviceValues => ({
  id,
  name,
  type,
  state,
  elements: elements.map(({ cplc }) => ({ key: cplc, text: cplc, isAttached: true })),
})

const cplcOf = ({ elements }: DeviceValues) => elements.map(({ text }) => normalizeCplc(text))

/** What the service would be asked to change; undefined when nothing would. */
export function changeOf(before: DeviceValues, after: DeviceValues) {
  const name = after.name.trim()
  const cplc = cplcOf(after)
  const change = {
    ...(name !== before.name && { name }),
    ...(after.type !== before.type && { type: after.type }),
    ...(after.state !== before.state && { state: after.state }),
    ...(cplc.join() !== cplcOf(before).join() && { cplc }),
  }
  return Object.keys(change).length > 0 ? change : undefined
}

/** The body that registers a device; an id left empty is given by the service. */
export function creationOf(values: DeviceValues) {
  const { type, state } = values
  const id = values.id.trim()
  return {
    ...(id !== '' && { id }),
    name: values.name.trim(),
    type,
    // The form of a new device offers these three.
    state: state === 'accepted' || state === 'quarantined' ? state : ('pending' as const),
    cplc: cplcOf(values),
  }
}

export type ValueProblem = 'required' | 'idForm' | 'cplcNotWhole' | 'cplcTwice'

/** The service's own rule for ids (`DeviceId` of the contract). */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** What is wrong, by the paths of the values. */
export function problemsOf(values: DeviceValues): Record<string, ValueProblem> {
  const problems: Record<string, ValueProblem> = {}
  if (values.name.trim() === '') problems['name'] = 'required'
  if (values.id.trim() !== '' && !idForm.test(values.id.trim())) problems['id'] = 'idForm'
  const cplc = cplcOf(values)
  for (const [index, each] of cplc.entries()) {
    if (checkCplc(each).kind !== 'complete') problems[`elements.${index}.text`] = 'cplcNotWhole'
    else if (cplc.indexOf(each) < index) problems[`elements.${index}.text`] = 'cplcTwice'
  }
  return problems
}
