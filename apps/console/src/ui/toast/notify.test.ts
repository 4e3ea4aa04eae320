import { afterEach, expect, test } from 'vitest'
import { dismissAll, notify, readNotifications } from './notify.ts'

afterEach(dismissAll)

const texts = () => readNotifications().map(({ text }) => text)
const undo = { label: 'Undo', run: () => {} }

test('the same notification again replaces the former, and is the newest', () => {
  const first = notify({ text: 'Sent.' })
  notify({ text: 'Saved.' })
  notify({ text: 'Sent.' })
  expect(texts()).toEqual(['Saved.', 'Sent.'])
  expect(readNotifications().map(({ id }) => id)).not.toContain(first)
})

test('two that can be undone are both shown', () => {
  notify({ text: 'Deleted.', action: undo })
  notify({ text: 'Deleted.', action: undo })
  expect(texts()).toEqual(['Deleted.', 'Deleted.'])
})

test('of many notifications the last three are shown, and those of a lasting condition', () => {
  notify({ text: 'No connection.', isLasting: true })
  for (const text of ['A', 'B', 'C', 'D']) notify({ text })
  expect(texts()).toEqual(['No connection.', 'B', 'C', 'D'])
})
