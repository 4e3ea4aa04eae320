import type { Platform } from '../core/platform.ts'
import { auth } from '../services/auth/index.ts'
import { createAccount, type Role } from '../services/auth/account/parts/create-account.ts'
import { setPublicAccountOpen } from '../services/auth/account/parts/public-account.ts'

// Public on purpose: the accounts are closed wherever others could reach them.
const password = 'Grove2026!'

interface SampleAccount {
  role: Role
  email: string
  name: string
}

const accounts = [
  { role: 'DEVELOPER', email: 'developer@grove.test', name: 'Dana Developer' },
  { role: 'ADMIN', email: 'admin@grove.test', name: 'Alex Admin' },
  { role: 'CUSTOMER', email: 'customer@grove.test', name: 'Chris Customer' },
] as const satisfies SampleAccount[]

/** What `npm start` prints; a customer has no dashboard to enter. */
export const sampleSignIns = [
  { role: 'Developer', email: accounts[0].email, password },
  { role: 'Admin', email: accounts[1].email, password },
]

/** Creates the accounts or enables those that an earlier start disabled; returns their user ids. */
export async function openSampleAccounts(platform: Platform): Promise<string[]> {
  const context = await auth.open(platform)
  return Promise.all(
    accounts.map(async ({ role, email, name }) => {
      const account = { email, password, roles: [role], name, locale: 'en-US' }
      const id = await createAccount(context, account)
      await setPublicAccountOpen(context, account, true)
      return id
    }),
  )
}

/** Disables accounts that an earlier start created while only this machine could reach them. */
export async function closeSampleAccounts(platform: Platform): Promise<void> {
  if (!platform.services.includes(auth.name)) return
  const context = await auth.open(platform)
  for (const { email } of accounts) await setPublicAccountOpen(context, { email, password }, false)
}
