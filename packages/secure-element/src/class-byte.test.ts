import { expect, test } from 'vitest'
import { logicalChannelOf, onLogicalChannel, responseClass } from './class-byte.ts'

test.each([
  [0x00, 0],
  [0x80, 0],
  [0x84, 0],
  [0x01, 1],
  [0x82, 2],
  [0x87, 3],
  [0x93, 3],
  [0x40, 4],
  [0xc0, 4],
  [0x6f, 19],
  [0xef, 19],
])('class byte %i is that of logical channel %i', (cla, expected) => {
  expect(logicalChannelOf(cla)).toBe(expected)
})

test.each([
  [0x00, 1, 0x01],
  [0x80, 3, 0x83],
  [0x84, 2, 0x86],
  [0x94, 1, 0x95],
  [0x0c, 1, 0x0d],
  [0x87, 0, 0x84],
])('class byte %i goes to logical channel %i as %i', (cla, number, expected) => {
  expect(onLogicalChannel(cla, number)).toBe(expected)
})

test.each([
  [0x00, 4],
  [0x00, -1],
  [0x00, 1.5],
  [0x40, 1],
  [0xff, 0],
])('class byte %i cannot go to logical channel %d', (cla, number) => {
  expect(() => onLogicalChannel(cla, number)).toThrow('wrongValue')
})

test.each([
  [0x80, 0x00],
  [0x85, 0x01],
  [0xc1, 0x41],
  [0xef, 0x4f],
  [0xf0, 0x00],
])('after class byte %i, GET RESPONSE has %i', (cla, expected) => {
  expect(responseClass(cla)).toBe(expected)
})
