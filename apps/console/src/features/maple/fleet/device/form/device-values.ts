import type { Device } from '@grove/contract/maple/fleet/device'
import {
  defaultDeviceState,
  initialDeviceStates,
  isDeviceId,
} from '@grove/contract/maple/fleet/device.rules'
import { isReadableName, normaliseName } from '@grove/contract/name.rules'
import { checkCplc, normalizeCplc } from '@grove/secure-element/cplc'
import { cplcsIn } from '../element/elements-of.ts'
import {
  labelChangeOf,
  labelProblemsOf,
  labelValuesOf,
  noLabels,
  type LabelValues,
} from './label-values.ts'

/** A row of the form; its key is stable while other rows come and go. */
export interface ElementRow {
  key: string
  text: string
  /** Already attached: it can be removed, not edited. */
  isAttached: boolean
}

export interface DeviceValues extends LabelValues {
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
  state: defaultDeviceState,
  elements: [],
  ...noLabels,
}

export const valuesOf = (device: Device): DeviceValues => ({
  ...labelValuesOf(device),
  id: device.id,
  name: device.name,
  type: device.type,
  state: device.state,
  elements: cplcsIn(device).map((cplc) => ({ key: cplc, text: cplc, isAttached: true })),
})

const cplcOf = ({ elements }: DeviceValues) => elements.map(({ text }) => normalizeCplc(text))

/** The change to request from the service; undefined if there is none. */
export function changeOf(before: DeviceValues, after: DeviceValues) {
  const name = normaliseName(after.name)
  const cplc = cplcOf(after)
  const change = {
    ...(name !== normaliseName(before.name) && { name }),
    ...(after.type !== before.type && { type: after.type }),
    ...(after.state !== before.state && { state: after.state }),
    ...(cplc.join() !== cplcOf(before).join() && { cplc }),
    ...labelChangeOf(before, after),
  }
  return Object.keys(change).length > 0 ? change : undefined
}

/** The body that registers a device; the service assigns an ID if it is empty. */
export function creationOf(values: DeviceValues) {
  const { type, state } = values
  const id = values.id.trim()
  return {
    ...(id !== '' && { id }),
    name: normaliseName(values.name),
    type,
    state: initialDeviceStates.find((each) => each === state) ?? defaultDeviceState,
    cplc: cplcOf(values),
    ...labelChangeOf(noLabels, values),
  }
}

export type ValueProblem =
  | 'required'
  | 'unreadable'
  | 'idForm'
  | 'cplcNotWhole'
  | 'cplcTwice'
  | 'tooManyTags'
  | 'longTag'
  | 'innerIdMissing'
  | 'keyForm'
  | 'keyTwice'
  | 'number'
  | 'day'

/** Errors, keyed by the paths of the values. */
export function problemsOf(values: DeviceValues): Record<string, ValueProblem> {
  const problems: Record<string, ValueProblem> = {}
  const name = normaliseName(values.name)
  if (name === '') problems['name'] = 'required'
  else if (!isReadableName(name)) problems['name'] = 'unreadable'
  if (values.id.trim() !== '' && !isDeviceId(values.id.trim())) problems['id'] = 'idForm'
  const cplc = cplcOf(values)
  for (const [index, each] of cplc.entries()) {
    if (checkCplc(each).kind !== 'complete') problems[`elements.${index}.text`] = 'cplcNotWhole'
    else if (cplc.indexOf(each) < index) problems[`elements.${index}.text`] = 'cplcTwice'
  }
  return { ...problems, ...labelProblemsOf(values) }
}
