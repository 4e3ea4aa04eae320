import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { calls, type CallKeyOf } from './calls.ts'
import { problemCodes } from './problem-codes.ts'
import { problemsOf, scoped, type Call, defineCalls } from './call.ts'
import { byId } from './shapes.ts'

test('every call names its service', () => {
  const services = (prefix: string) =>
    new Set(
      Object.entries(calls)
        .filter(([key]) => key.split(' ')[1]?.startsWith(prefix))
        .map(([, call]) => call.service),
    )
  expect(services('/api/maple/')).toEqual(new Set(['maple']))
  expect(services('/api/developer/')).toEqual(new Set(['cedar']))
  expect(services('/api/token/')).toEqual(new Set(['auth']))
  // The paths below /api/user/ belong to two services.
  expect(calls['GET /api/user/info'].service).toBe('cedar')
  expect(calls['GET /api/user/profile'].service).toBe('auth')
})

/** They accept a ticket or a code, issued for a limited time to someone with the right. */
const withTicket = [
  'GET /api/maple/device/export',
  'GET /api/maple/se/element/export',
  'POST /api/maple/device/claim',
  'GET /api/maple/device/image/{id}',
  'POST /api/maple/reader/claim',
]

/** Queries about oneself: a right would deny the answer to those who have none. */
const ofOneself = ['GET /api/maple/account/own']

test('every call of Maple needs a right', () => {
  const others = Object.entries<Call>(calls)
    .filter(([, { service, access }]) => service === 'maple' && typeof access !== 'object')
    .filter(([key]) => ![...withTicket, ...ofOneself].includes(key))
    .map(([key]) => `${key}: write access: { right: '…' } with one of maple/right.rules.ts`)
  expect(others).toEqual([])
})

test('a service’s calls are known to the type system', () => {
  const key: CallKeyOf<'maple'> = 'GET /api/maple/device'
  // @ts-expect-error: a call of Cedar.
  const other: CallKeyOf<'maple'> = 'GET /api/provider'
  expect([key, other]).toHaveLength(2)
})

test('a call can name only problem codes of the table', () => {
  const call = { summary: '', access: 'public', response: Type.Null() } as const
  defineCalls('maple', { 'GET /a': { ...call, problems: ['not_found'] } })
  // @ts-expect-error: a misspelt code.
  defineCalls('maple', { 'GET /a': { ...call, problems: ['not_fuond'] } })
  for (const code of Object.values(calls).flatMap(problemsOf))
    expect(problemCodes).toHaveProperty(code)
})

test('a call has the access of its table, and of the id in its path', () => {
  const call = { summary: '', response: Type.Null() } as const
  const table = defineCalls('maple', scoped('device.read', 'device.change'), {
    'GET /a': call,
    'POST /a': { ...call, access: 'admin' },
    'PUT /a/{id}': { ...call, problems: ['limit_reached'] },
    'GET /b/{id}': { ...call, params: Type.Object({ id: Type.Integer() }) },
  })
  expect(table['GET /a']).toMatchObject({ access: { right: 'device.read' }, problems: [] })
  expect(table['POST /a'].access).toBe('admin')
  expect(table['PUT /a/{id}']).toMatchObject({
    access: { right: 'device.change', isScoped: true },
    params: byId,
    problems: ['not_found', 'limit_reached'],
  })
  expect(table['GET /b/{id}'].params.properties.id).toEqual(Type.Integer())
  // @ts-expect-error: what anyone can do is said at the call.
  defineCalls('maple', 'public', { 'GET /a': call })
})

test('a call answers its own problems and those of its kind', () => {
  expect(problemsOf(calls['GET /api/catalogue/product/{id}'])).toEqual([
    'invalid_request',
    'unsupported_api_version',
    'unknown_host',
    'internal_error',
    'database_unavailable',
    'unauthorized',
    'keys_unavailable',
    'not_found',
  ])
  expect(problemsOf(calls['POST /api/storage/product/icon'])).toEqual(
    expect.arrayContaining(['forbidden', 'storage_full', 'image_refused']),
  )
})
