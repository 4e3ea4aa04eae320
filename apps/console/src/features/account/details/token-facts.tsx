import type { TokenDetailsResult } from '@grove/auth-client/react'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { Fact, Facts } from './facts.tsx'

/** Whose token it is, once it is verified. */
export function TokenFacts({ details }: { details: TokenDetailsResult }) {
  const { t } = useLingui()
  const { isPending, is_valid, user_id, provider, roles, is_admin, is_developer } = details
  const yesOrNo = (value: boolean) => (value ? t`Yes` : t`No`)
  const unknown = <span className="muted">{t`Not known until it is verified`}</span>
  const known = (value: ReactNode) =>
    isPending ? <span className="skeleton" /> : is_valid ? value : unknown
  return (
    <Facts>
      <Fact label={t`User ID`} field="user_id">
        {known(user_id === null ? '–' : <CopyableId value={user_id} />)}
      </Fact>
      <Fact label={t`Provider`} field="provider">
        {known(provider ?? '–')}
      </Fact>
      <Fact label={t`Roles`} field="roles">
        {known(roles.join(', ') || t`None`)}
      </Fact>
      <Fact label={t`Administrator`} field="is_admin">
        {known(yesOrNo(is_admin))}
      </Fact>
      <Fact label={t`Developer`} field="is_developer">
        {known(yesOrNo(is_developer))}
      </Fact>
    </Facts>
  )
}
