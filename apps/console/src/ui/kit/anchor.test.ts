import { expect, test } from 'vitest'
import { placeBeside } from './anchor.ts'

const view = { width: 400, height: 300 }
const panel = { width: 100, height: 80 }
const boxAt = (left: number, top: number) => ({
  left,
  top,
  width: 50,
  right: left + 50,
  bottom: top + 20,
})
const below = { side: 'bottom', align: 'start' } as const

test('a panel goes below its anchor, aligned with its start', () => {
  expect(placeBeside(boxAt(40, 30), panel, view, below)).toMatchObject({ top: 54, left: 40 })
})

test('a panel that does not fit below goes above its anchor', () => {
  expect(placeBeside(boxAt(40, 250), panel, view, below)).toMatchObject({ top: 166 })
})

test('a panel that fits nowhere takes the side with more room, and only that room', () => {
  const place = placeBeside(boxAt(40, 100), { width: 100, height: 500 }, view, below)
  expect(place).toMatchObject({ top: 124, room: 168 })
})

test('a panel stays inside the window', () => {
  expect(placeBeside(boxAt(380, 30), panel, view, below).left).toBe(292)
  expect(placeBeside(boxAt(0, 30), panel, view, { side: 'top', align: 'end' }).left).toBe(8)
})

test('a panel can be centred above its anchor', () => {
  const place = placeBeside(boxAt(100, 150), panel, view, { side: 'top', align: 'center' })
  expect(place).toMatchObject({ top: 66, left: 75 })
})
