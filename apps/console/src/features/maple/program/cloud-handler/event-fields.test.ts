import { expect, test } from 'vitest'
import { fieldsOf } from './event-fields.ts'

test('fields are written the way code refers to them', () => {
  expect(
    fieldsOf({
      device: { id: 'SN-1', name: 'Gate "7"' },
      data: { 'air temperature': 21.5, values: [1, { x: null }], empty: {} },
    }),
  ).toEqual([
    { path: 'event.device.id', value: '"SN-1"' },
    { path: 'event.device.name', value: '"Gate \\"7\\""' },
    { path: 'event.data["air temperature"]', value: '21.5' },
    { path: 'event.data.values[0]', value: '1' },
    { path: 'event.data.values[1].x', value: 'null' },
    { path: 'event.data.empty', value: '{}' },
  ])
})
