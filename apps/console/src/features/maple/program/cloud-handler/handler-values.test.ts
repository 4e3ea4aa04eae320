import { expect, test } from 'vitest'
import type { HandlerProgram } from '@grove/contract/maple/program/cloud-handler'
import { isLimit, programOf, readMatch, valuesOf, wrongHost } from './handler-values.ts'

const limits = { milliseconds: 10_000, calls: 10, kilobytes: 1024, attempts: 8 }
const rest = { code: 'log(event)', hosts: ['api.example.com', '*.example.org'], limits }

test.each<HandlerProgram['trigger']>([
  { type: 'webhook', proof: 'hmac' },
  { type: 'schedule', cron: '0 6 * * 1-5', zone: 'Europe/Berlin' },
  {
    type: 'event',
    events: ['device.message', 'session.fail'],
    kinds: ['event', 'log'],
    match: [
      { path: 'data.alarm', value: true },
      { path: 'data.level', value: 7.5 },
      { path: 'data.text', value: 'true' },
      { path: 'after.state', value: 'failed = yes' },
      { path: 'before', value: null },
    ],
  },
])('a draft with the trigger $type passes through its form unchanged', (trigger) => {
  expect(programOf(valuesOf({ trigger, ...rest }))).toEqual({ trigger, ...rest })
})

test('hosts are separated the way people type them, without duplicates', () => {
  const values = valuesOf({ trigger: { type: 'webhook', proof: 'token' }, ...rest })
  const hosts = 'API.example.com, b.example\n  b.example'
  expect(programOf({ ...values, hosts }).hosts).toEqual(['api.example.com', 'b.example'])
  expect(wrongHost(hosts)).toBeUndefined()
  for (const wrong of ['https://a.example', 'a.example/path', '*', '-a.example', 'a..example'])
    expect([wrong, wrongHost(`ok.example ${wrong}`)]).toEqual([wrong, wrong])
})

test('a line without a field and a value is reported', () => {
  expect(readMatch('data.alarm = true\n\n = 1\nalarm\n1a = 2')).toEqual([
    { path: 'data.alarm', value: true },
    undefined,
    undefined,
    undefined,
  ])
})

test('limits are whole numbers within their range', () => {
  expect(
    ['100', '60000', '99', '60001', '1e3', ''].map((text) => isLimit('milliseconds', text)),
  ).toEqual([true, true, false, false, false, false])
})
