import { createAnswers, drop, refuse, type Answers } from '../support/answers.ts'
import { apiVersions, serveConsole } from '../support/console-server.ts'
import { deviceOf, fleetAnswers } from '../support/fleet-answers.ts'
import { expect, test } from '@playwright/test'

const device = '/api/maple/device'
const headers = { authorization: 'Bearer token', 'api-version': apiVersions.maple }

/** The answer to a call, and the faults that were found. */
async function call(answers: Answers, path: string, init: RequestInit = {}, hasEnded = false) {
  const { handle, faults, allowNoToken } = createAnswers(answers, apiVersions)
  if (hasEnded) allowNoToken()
  const { url, close } = await serveConsole(handle)
  try {
    const response = await fetch(url + path, { headers, ...init })
    return { status: response.status, text: await response.text(), faults }
  } finally {
    close()
  }
}

test('a call is answered as the test specifies', async () => {
  const { status, text, faults } = await call(fleetAnswers([deviceOf('Gate')]), `${device}?id=Gate`)
  expect([status, faults]).toEqual([200, []])
  expect(JSON.parse(text)).toMatchObject({ items: [{ name: 'Gate', state: 'pending' }] })
})

test('a call without an answer, and one that is not in the contract, are faults', async () => {
  expect((await call({}, device)).faults).toEqual(['GET /api/maple/device has no answer.'])
  expect((await call({}, '/api/maple/gates')).faults).toEqual([
    'The contract has no GET /api/maple/gates.',
  ])
})

test('neither side may break the contract', async () => {
  const wrong = { 'GET /api/maple/device/view': { items: [{ id: 'no uuid' }] } } as never
  expect((await call(wrong, `${device}/view`)).faults).toEqual([
    expect.stringContaining('The answer to GET /api/maple/device/view breaks the contract'),
  ])
  const answers = fleetAnswers([])
  expect((await call(answers, `${device}?sate=online`)).faults).toEqual([
    expect.stringContaining('GET /api/maple/device was asked wrongly'),
  ])
  const body = { method: 'PUT', body: JSON.stringify({ name: '' }) }
  expect((await call(answers, `${device}?id=gate`, body)).faults).toEqual([
    expect.stringContaining('PUT /api/maple/device was asked wrongly'),
  ])
  expect((await call(answers, device, { headers: {} })).faults).toEqual([
    'GET /api/maple/device was called without an access token.',
  ])
  const old = { ...headers, 'api-version': '0' }
  expect((await call(answers, device, { headers: old })).faults).toEqual([
    'GET /api/maple/device was called with api-version 0.',
  ])
})

test('a call can be refused with a specific problem, or lose its connection', async () => {
  const refused = await call({ 'GET /api/maple/device': refuse('bad_cursor') }, device)
  expect([refused.status, refused.faults]).toEqual([400, []])
  expect(JSON.parse(refused.text)).toMatchObject({ code: 'bad_cursor' })
  const never = await call({ 'GET /api/maple/device': refuse('edit_conflict') }, device)
  expect(never.faults).toEqual(['GET /api/maple/device never answers edit_conflict.'])
  await expect(call({ 'GET /api/maple/device': drop }, device)).rejects.toThrow('fetch failed')
})

test('a call without a token is refused, but not a fault, if a session has just ended', async () => {
  const { status, text, faults } = await call(fleetAnswers([]), device, { headers: {} }, true)
  expect([status, faults]).toEqual([401, []])
  expect(JSON.parse(text)).toMatchObject({ code: 'unauthorized' })
})

test('a form is read with its file, and checked against the contract', async () => {
  const path = '/api/storage/productVersion/miniApp'
  const send = (name: string) => {
    const body = new FormData()
    body.set(name, '00000000-0000-4000-8000-000000000000')
    body.set('file', new File(['zip'], 'app.zip'))
    const sent = { authorization: 'Bearer token', 'api-version': apiVersions.cedar }
    const answer: Answers = {
      [`POST ${path}`]: ({ file }: { file?: File }) => {
        expect(file?.name).toBe('app.zip')
        return refuse('file_too_large')()
      },
    }
    return call(answer, path, { method: 'POST', headers: sent, body })
  }
  const { status, faults } = await send('productVersionId')
  expect([status, faults]).toEqual([413, []])
  expect((await send('productId')).faults).toEqual([
    expect.stringContaining(`POST ${path} was asked wrongly`),
  ])
})
