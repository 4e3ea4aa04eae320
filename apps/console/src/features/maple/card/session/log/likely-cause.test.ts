import { expect, test } from 'vitest'
import { likelyCause } from './likely-cause.ts'

const text = (command: string | undefined, word: string) => likelyCause(command, word)?.message

test('a cause depends on the command', () => {
  expect(text('SELECT', '6A82')).toMatch(/No application/)
  expect(text('GET STATUS', '6A88')).toMatch(/nothing of this kind/)
  expect(text('DELETE', '6A88')).toMatch(/Nothing on the card has this AID/)
  expect(text('EXTERNAL AUTHENTICATE', '6300')).toMatch(/Do not try again/)
})

test('a command without its own cause has the general one', () => {
  for (const command of ['GET STATUS', 'LOAD', undefined])
    expect(text(command, '6982')).toMatch(/secure channel/)
})

test('words with a counter have one cause for every number', () => {
  expect(text('VERIFY', '63C2')).toBe(text('VERIFY', '63C0'))
  expect(text('GET DATA', '6C2D')).toMatch(/another expected length/)
})

test('INSTALL that also makes selectable fails as INSTALL does', () => {
  expect(text('INSTALL [install, make selectable]', '6A88')).toMatch(/Load the package/)
})

test('a success has no cause', () => {
  for (const word of ['9000', '6100', '6310']) expect(text('GET STATUS', word)).toBeUndefined()
})
