import type { AccountBulk } from '@grove/contract/maple/access/account-bulk'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { maxBulkAccounts } from '@grove/contract/maple/access/account-bulk.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { confirm } from '../../../../ui/dialog/confirm.tsx'
import { MenuItem } from '../../../../ui/menu/menu-item.tsx'
import { PopoverMenu } from '../../../../ui/menu/popover-menu.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { accounts, rolesQuery } from './account.api.ts'
import { AccountBulkProgress } from './account.bulk-progress.tsx'

type Change = Omit<BodyOf<Calls['POST /api/maple/account/bulk']>, 'ids'>

interface Job {
  question: string
  text: string
  action: string
  change: Change
}

const dayMs = 86_400_000
const dayAfter = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

/** Grants, revokes and extends for the selected accounts, in one job. */
export function BulkAccounts({ ids, onDone }: { ids: string[]; onDone: () => void }) {
  const { i18n, t } = useLingui()
  const attempt = useAttempt()
  const { data } = useQuery(rolesQuery())
  const [bulk, setBulk] = useState<AccountBulk>()
  const total = ids.length
  const roles = data?.items ?? []
  const selected = t`${plural(total, { one: '# account', other: '# accounts' })}`

  const run = async ({ question, text, action, change }: Job) => {
    if (!(await confirm({ title: question, text, action }))) return
    const body = { ids, ...change }
    await attempt(async () => setBulk(await api.maple.post('/api/maple/account/bulk', { body })))
  }
  const close = (ended: AccountBulk) => {
    setBulk(undefined)
    void accounts.refresh()
    // Refused ones stay selected with the others, to be retried.
    if (ended.refused === 0) onDone()
  }

  const grant = (role: string) =>
    run({
      question: t`Grant ${role} to ${selected}?`,
      text: t`Accounts that already have the role stay unchanged.`,
      action: t`Grant`,
      change: { action: 'grant', role },
    })
  const revoke = (role: string) =>
    run({
      question: t`Revoke ${role} from ${selected}?`,
      text: t`Accounts without the role stay unchanged.`,
      action: t`Revoke`,
      change: { action: 'revoke', role },
    })
  const extend = (days: number | null, words: string) =>
    run({
      question: t`Set the expiry of ${selected}: ${words}?`,
      text: t`It replaces each account’s current expiry.`,
      action: t`Set the expiry`,
      change: {
        action: 'setExpiry',
        expiresAt: days === null ? null : dayAfter(days),
      },
    })
  const expiries: [number | null, string][] = [
    [30, t`in 30 days`],
    [90, t`in 90 days`],
    [365, t`in a year`],
    [null, t`never`],
  ]

  if (total > maxBulkAccounts)
    return (
      <output>{t`Select at most ${i18n.number(maxBulkAccounts)} accounts to change them.`}</output>
    )
  return (
    <>
      <PopoverMenu isMenu label={t`Grant a role`}>
        {roles
          .filter(({ isKnown }) => isKnown)
          .map(({ role }) => (
            <MenuItem key={role} onSelect={() => void grant(role)}>
              {role}
            </MenuItem>
          ))}
      </PopoverMenu>
      <PopoverMenu isMenu label={t`Revoke a role`}>
        {roles.map(({ role }) => (
          <MenuItem key={role} onSelect={() => void revoke(role)}>
            {role}
          </MenuItem>
        ))}
      </PopoverMenu>
      <PopoverMenu isMenu label={t`Set the expiry`}>
        {expiries.map(([days, words]) => (
          <MenuItem key={words} onSelect={() => void extend(days, words)}>
            {words}
          </MenuItem>
        ))}
      </PopoverMenu>
      {bulk && <AccountBulkProgress bulk={bulk} onClose={close} />}
    </>
  )
}
