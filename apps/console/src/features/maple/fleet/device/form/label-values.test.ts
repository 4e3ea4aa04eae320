import { expect, test } from 'vitest'
import {
  labelChangeOf,
  labelFieldOf,
  labelProblemsOf,
  noLabels,
  type AttributeRow,
} from './label-values.ts'

const row = (key: string, type: AttributeRow['type'], text: string) => ({
  row: key,
  key,
  type,
  text,
})
const values = {
  ...noLabels,
  tags: 'north, battery',
  attributes: [row('floor', 'number', '3'), row('locked', 'boolean', 'false')],
}

test('tags are sent normalised, and only if they differ', () => {
  expect(labelChangeOf(values, { ...values, tags: ' Battery ,NORTH,, north' })).toEqual({})
  expect(labelChangeOf(values, { ...values, tags: 'south' })).toEqual({ tags: ['south'] })
  expect(labelChangeOf(values, { ...values, tags: ' , ' })).toEqual({ tags: [] })
})

test('attributes are sent in their types, all of them', () => {
  const attributes = [...values.attributes, row('installed', 'date', ' 2026-03-01 ')]
  expect(labelChangeOf(values, { ...values, attributes: values.attributes.toReversed() })).toEqual(
    {},
  )
  expect(labelChangeOf(values, { ...values, attributes })).toEqual({
    attributes: {
      floor: { type: 'number', value: 3 },
      installed: { type: 'date', value: '2026-03-01' },
      locked: { type: 'boolean', value: false },
    },
  })
})

test('a binding is set, and removed by an empty field', () => {
  const bound = { ...values, innerId: ' W-1 ', accountId: 'a' }
  expect(labelChangeOf(values, bound)).toEqual({ innerId: 'W-1', accountId: 'a' })
  expect(labelChangeOf(bound, { ...bound, accountId: '' })).toEqual({ accountId: null })
})

test('what the service would refuse is reported at its field', () => {
  const attributes = [
    row('Floor', 'number', '3'),
    row('floor', 'number', 'high'),
    row('floor', 'text', ''),
    row('day', 'date', '2026-02-30'),
  ]
  expect(labelProblemsOf({ ...values, attributes, accountId: 'a', tags: 'x'.repeat(41) })).toEqual({
    tags: 'longTag',
    innerId: 'innerIdMissing',
    'attributes.0.key': 'keyForm',
    'attributes.1.text': 'number',
    'attributes.2.key': 'keyTwice',
    'attributes.2.text': 'required',
    'attributes.3.text': 'day',
  })
  expect(labelProblemsOf(values)).toEqual({})
})

test('a refusal of the service is mapped to its row', () => {
  expect(labelFieldOf('attributes.locked.value', values)).toBe('attributes.1.text')
  expect(labelFieldOf('tags.3', values)).toBe('tags')
  expect(labelFieldOf('accountId', values)).toBe('accountId')
})
