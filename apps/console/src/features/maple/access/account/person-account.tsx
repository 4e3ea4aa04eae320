import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { ApiProblem } from '../../../../api/problem.ts'
import { personSearch } from '../../../../people/person-search.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { AccountRights } from './account-rights.tsx'
import { accounts } from './account.api.ts'
import { ValidityBadge } from './account.labels.tsx'
import { ServiceName } from '../../base/service-name.tsx'

const AccountPanel = onDemand(
  () => import('./account.panel.tsx').then((file) => file.AccountPanel),
  'maple-parts',
)
const CreateAccount = onDemand(
  () => import('./account.form.tsx').then((file) => file.CreateAccount),
  'maple-parts',
)

interface PersonAccountProps {
  id: string
  /** The person is gone, so nobody can be given an account. */
  isFormer: boolean
}

/** The Maple account of a person: what it allows and through which role, and how to change it. */
export function PersonAccount({ id, isFormer }: PersonAccountProps) {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(personSearch)
  const query = useQuery(accounts.one(id))
  usePrefetch(AccountPanel, CreateAccount)
  const isMissing = query.error instanceof ApiProblem && query.error.code === 'not_found'
  const close = () => onSearch({ account: undefined, edit: undefined, create: undefined })
  const account = isMissing ? undefined : query.data
  return (
    <Section
      title={t`Maple account`}
      focusOn={account?.id}
      {...(!isMissing && { loading: query })}
      action={
        account ? (
          <button
            type="button"
            className="button small"
            onClick={() => onSearch({ account: true, edit: true })}
          >
            <Pencil size={14} aria-hidden />
            <Trans>Edit</Trans>
          </button>
        ) : (
          isMissing &&
          !isFormer && (
            <button
              type="button"
              className="button small"
              onClick={() => onSearch({ create: true })}
            >
              <Trans>New account</Trans>
            </button>
          )
        )
      }
    >
      {isMissing ? (
        <p className="muted">
          <Trans>
            None. In the working stage of a provider, that is one with an API key, its members may
            do everything; without an account, nothing else in Maple.
          </Trans>
        </p>
      ) : account ? (
        <>
          <PanelFacts
            facts={[
              [t`State`, <ValidityBadge key="state" expiresAt={account.expiresAt} />],
              [t`Roles`, account.roles.join(', ') || '–'],
              [
                t`Service provider`,
                account.serviceId === null ? (
                  t`Every service provider`
                ) : (
                  <ServiceName key="service" id={account.serviceId} />
                ),
              ],
              [t`Expires`, <DateText key="expires" value={account.expiresAt} />],
            ]}
          />
          <AccountRights id={id} />
        </>
      ) : (
        <div className="skeleton" />
      )}
      {search.account && account && (
        <AccountPanel
          id={id}
          isEditing={search.edit === true}
          onEdit={(isEditing) => onSearch(isEditing ? { edit: true } : { edit: undefined })}
          onPrevious={undefined}
          onNext={undefined}
          onClose={close}
        />
      )}
      {search.create && isMissing && (
        <CreateAccount userId={id} onCreated={close} onClose={close} />
      )}
    </Section>
  )
}

/** A service provider's name, as a link. */
