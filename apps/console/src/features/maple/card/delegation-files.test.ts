import { expect, test } from 'vitest'
import { commandsFormat, readCommands, readTokens, tokensFormat } from './delegation-files.ts'

const tokens = [{ command: '80E60200', token: '00112233' }]
const text = (value: unknown) => JSON.stringify(value)

test('a file of tokens is read, ignoring everything else in it', () => {
  const file = { format: tokensFormat, cplc: '00', tokens: [{ ...tokens[0], more: 1 }] }
  expect(readTokens(text(file))).toEqual(tokens)
})

test('a file of commands is read with its element', () => {
  const file = { format: commandsFormat, cplc: 'AB', commands: ['80E60200'] }
  expect(readCommands(text(file))).toEqual({ cplc: 'AB', commands: ['80E60200'] })
})

test.each([
  ['', 'nothing'],
  ['[]', 'a list'],
  ['null', 'null'],
  [text({ format: 'grove-keys', tokens }), 'another format'],
  [text({ format: tokensFormat, tokens: [] }), 'no tokens'],
  [text({ format: tokensFormat, tokens: Array.from({ length: 65 }, () => tokens[0]) }), 'too many'],
  [text({ format: tokensFormat, tokens: [{ command: '8', token: '00' }] }), 'half a byte'],
  [text({ format: tokensFormat, tokens: [{ command: '80E60200' }] }), 'a command alone'],
  [text({ format: commandsFormat, cplc: 1, commands: ['80E60200'] }), 'a wrong element'],
  [text({ format: commandsFormat, cplc: 'AB', commands: ['xy'] }), 'no hex'],
])('%s is neither (%s)', (file) => {
  expect([readTokens(file), readCommands(file)]).toEqual([undefined, undefined])
})
