import { expect, test } from 'vitest'
import { completed, completionOf } from './complete.ts'

const aids = ['A000000151000000', 'A00000015153504101', 'D2760000850101']
const candidates = (line: string) => completionOf(line, aids).candidates
const tab = (line: string) => completed(line, completionOf(line, aids))

test('a command, its options and the AIDs of the card are completed', () => {
  expect(tab('sto')).toBe('store_data ')
  expect(tab('get')).toBe('get_')
  expect(candidates('get_')).toContain('get_status')
  expect(tab('select ')).toBe('select -AID ')
  expect(candidates('select -AID ')).toEqual(aids)
  expect(tab('select -AID a')).toBe('select -AID A000000151')
  expect(tab('select -AID d')).toBe('select -AID D2760000850101 ')
  expect(tab('gp --li')).toBe('gp --list ')
  expect(candidates('gp --lock-applet D')).toEqual(['D2760000850101'])
  expect(candidates('open_sc -security 5')).toEqual(['51'])
})

test('logical channels are opened, closed and sent on', () => {
  expect(tab('man')).toBe('manage_channel ')
  expect(candidates('manage_channel ')).toEqual(['open', 'close'])
  expect(candidates('manage_channel close ')).toEqual(['1', '2', '3'])
  expect(candidates('on ')).toEqual(['1', '2', '3'])
  expect(tab('on 1 sel')).toBe('on 1 select ')
  expect(tab('on 1 select -AID d')).toBe('on 1 select -AID D2760000850101 ')
  expect(candidates('on 1 80CA9F7F00')).toEqual([])
})

test('help lists every command', () => {
  expect(completionOf(' help', aids)).toEqual({ from: 0, candidates: candidates('?') })
  expect(candidates('?')).toEqual(expect.arrayContaining(['select', 'send_apdu', 'gp']))
})

test('nothing is suggested for an empty line, bytes, a complete word or an option already given', () => {
  for (const line of ['', '80CA9F7F00', '80 CA', 'get_status', 'select -AID D2760000850101'])
    expect([line, candidates(line)]).toEqual([line, []])
  expect(candidates('open_sc -security 3 ')).toEqual(['-keyver'])
  expect(tab('80CA')).toBe('80CA')
})
