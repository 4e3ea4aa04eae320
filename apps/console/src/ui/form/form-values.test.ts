import { expect, test } from 'vitest'
import { fieldIn, valueAt } from './form-values.ts'

const values = { roles: 'operator, auditor', elements: [{ text: '9F7F' }] }

test('a path of the request is mapped to its field, even if the form holds a list as one text', () => {
  expect(fieldIn(values, 'roles.1')).toBe('roles')
  expect(fieldIn(values, 'elements.0.text')).toBe('elements.0.text')
  expect(fieldIn(values, 'elements.3.text')).toBe('elements')
})

test('a path that belongs to no field stays as it is', () => {
  expect(fieldIn(values, 'name')).toBe('name')
  expect(valueAt(values, 'roles.1')).toBeUndefined()
})
