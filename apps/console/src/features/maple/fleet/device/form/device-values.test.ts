import { expect, test } from 'vitest'
import { changeOf, creationOf, newDevice, problemsOf, type DeviceValues } from './device-values.ts'

const first = '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'
const second = first.replace('00485399', '00485400')
const row = (text: string, isAttached = false) => ({ key: text, text, isAttached })
const device: DeviceValues = {
  ...newDevice,
  id: 'meter-1',
  name: 'Meter',
  type: 'iot',
  state: 'online',
  elements: [row(first, true)],
}

test('only differences are sent', () => {
  expect(changeOf(device, device)).toBeUndefined()
  expect(changeOf(device, { ...device, name: ' Meter ' })).toBeUndefined()
  expect(changeOf(device, { ...device, name: 'Gauge', state: 'quarantined' })).toEqual({
    name: 'Gauge',
    state: 'quarantined',
  })
})

test('a changed list of elements is sent in full and normalised', () => {
  const elements = [row(first, true), row(`9f7f2a${second.toLowerCase()}`)]
  expect(changeOf(device, { ...device, elements })).toEqual({ cplc: [first, second] })
  expect(changeOf(device, { ...device, elements: [] })).toEqual({ cplc: [] })
})

test('a new device only needs a name', () => {
  expect(problemsOf(newDevice)).toEqual({ name: 'required' })
  expect(problemsOf({ ...newDevice, name: '  ' })).toEqual({ name: 'required' })
  expect(creationOf({ ...newDevice, name: ' Meter ' })).toEqual({
    name: 'Meter',
    type: 'iot',
    state: 'pending',
    cplc: [],
  })
})

test.each(['-x', 'a b', 'a/b', 'ä', 'x'.repeat(65)])('an id of %j is refused', (id) => {
  expect(problemsOf({ ...device, id })).toEqual({ id: 'idForm' })
})

test('an element must be complete and listed once', () => {
  const elements = [row(first), row('4790'), row(''), row(`9F7F2A${first}`)]
  expect(problemsOf({ ...device, elements })).toEqual({
    'elements.1.text': 'cplcNotWhole',
    'elements.2.text': 'cplcNotWhole',
    'elements.3.text': 'cplcTwice',
  })
})

test('a name is sent on one line, and one with invisible characters is refused', () => {
  expect(problemsOf({ ...device, name: 'Meter\u202e' })).toEqual({ name: 'unreadable' })
  expect(problemsOf({ ...device, name: '\u200b' })).toEqual({ name: 'unreadable' })
  const spaced = { ...device, name: ' North\t Gate ' }
  expect(problemsOf(spaced)).toEqual({})
  expect(changeOf(device, spaced)).toEqual({ name: 'North Gate' })
  expect(changeOf(spaced, { ...spaced, name: 'North Gate' })).toBeUndefined()
})
