import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../services/auth/account/parts/create-account.ts'
import { startAuthServer, tokenOf, type AuthServer } from '../services/auth/testing/auth-server.ts'
import { closeSampleAccounts, openSampleAccounts, sampleSignIns } from './sample-accounts.ts'

const password = sampleSignIns[0]?.password ?? ''
let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

test('sample accounts from an earlier start are closed while others could reach them, and reopened afterwards', async () => {
  await openSampleAccounts(server.platform)
  const sessions = await Promise.all(
    sampleSignIns.map(({ email, password }) => server.signIn(email, password)),
  )
  expect(sessions.map((answer) => answer.statusCode)).toEqual([200, 200])

  await closeSampleAccounts(server.platform)
  const emails = [...sampleSignIns.map(({ email }) => email), 'customer@grove.test']
  for (const email of emails) {
    const refused = await server.signIn(email, password)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'account_disabled'])
  }
  for (const session of sessions) {
    const refused = await server.refresh(tokenOf(session).refreshToken)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'account_disabled'])
  }

  await openSampleAccounts(server.platform)
  for (const { email } of sampleSignIns)
    expect((await server.signIn(email, password)).statusCode).toBe(200)
})

test('a sample account whose owner chose a new password stays open', async () => {
  const own = await startAuthServer()
  const account = {
    email: 'admin@grove.test',
    password: `${password}1`,
    name: 'A',
    locale: 'en-US',
  }
  await createAccount(own.context, { ...account, roles: ['ADMIN'] })
  await closeSampleAccounts(own.platform)
  expect((await own.signIn(account.email, account.password)).statusCode).toBe(200)
  await own.close()
})
