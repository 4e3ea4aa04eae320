import { expiringDays } from '@grove/contract/maple/access/account.rules'
import type { Scp11Credential } from '@grove/contract/maple/card/scp11'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, CircleSlash, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { invalidate } from '../../../../../api/query-client.ts'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../../../ui/kit/on-demand.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import { useAttempt } from '../../../../../ui/toast/use-attempt.ts'
import { hexVersion } from '../../hex-version.ts'
import { credentialsQuery, scp11Path } from '../../scp11.api.ts'
import styles from '../key/key.module.css'

const AddCredential = onDemand(() =>
  import('./add-credential.tsx').then((file) => file.AddCredential),
)

/** The credentials that open SCP11 channels to an element. */
export function Scp11Section({ element: { cplc } }: { element: SecureElement }) {
  const { t } = useLingui()
  const loading = useQuery(credentialsQuery(cplc))
  const [isAdding, setAdding] = useState(false)
  usePrefetch(AddCredential)
  const items = loading.data?.items ?? []
  return (
    <Section
      title={t`Credentials for SCP11`}
      loading={loading}
      focusOn={loading.data && items.length}
      action={
        loading.data && (
          <PanelAction icon={Plus} label={t`Add credentials…`} onAct={() => setAdding(true)} />
        )
      }
    >
      {loading.data && items.length === 0 && (
        <p className="muted">
          <Trans>
            None. With SCP11, card and host prove themselves with certificates, so the card needs no
            key that Grove knows. One set of credentials opens every card whose certificates come
            from the same authority.
          </Trans>
        </p>
      )}
      <ul className={styles.sets}>
        {items.map((item) => (
          <Credential key={item.id} cplc={cplc} item={item} />
        ))}
      </ul>
      {isAdding && <AddCredential cplc={cplc} onClose={() => setAdding(false)} />}
    </Section>
  )
}

function Credential({ cplc, item }: { cplc: string; item: Scp11Credential }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const remove = useRemoval(cplc, item)
  const { id, name, variant, keyVersion, keyLength, authorities, host, isDefault } = item
  const choose = async (chosen: string | null) => {
    await attempt(() =>
      api.maple.put(`${scp11Path}/default`, { query: { cplc }, body: { id: chosen } }),
    )
    await invalidate('maple', scp11Path)
  }
  return (
    <li>
      <div>
        <p className={styles.version}>
          <strong>{name}</strong>
          <span>
            SCP11{variant}, AES-{keyLength * 8}
          </span>
          {isDefault && <StateBadge kind="good" text={t`Opens this card`} />}
          {host && <ExpiryBadge validTo={host.validTo} />}
        </p>
        <p>{t`Key version ${hexVersion(keyVersion)} of the card`}</p>
        <p>
          <Trans>
            Cards are certified by <code>{authorities.join(' ')}</code>
          </Trans>
        </p>
        {host && (
          <p>
            <Trans>
              The host is <code>{host.subject}</code>, certified until{' '}
              <DateText value={host.validTo} />
            </Trans>
          </p>
        )}
      </div>
      <div className="actions">
        {isDefault ? (
          <PanelAction
            icon={CircleSlash}
            label={t`Open it with its own keys`}
            onAct={() => void choose(null)}
          />
        ) : (
          <PanelAction
            icon={BadgeCheck}
            label={t`Open this card with them`}
            onAct={() => void choose(id)}
          />
        )}
        <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
      </div>
    </li>
  )
}

const expiringMs = expiringDays * 24 * 3600_000

/** Whether the host certificate has expired, or soon will: cards may then refuse it. */
function ExpiryBadge({ validTo }: { validTo: string }) {
  const { t } = useLingui()
  const [now] = useState(() => Date.now())
  const left = Date.parse(validTo) - now
  if (left > expiringMs) return null
  return left > 0 ? (
    <StateBadge kind="waiting" text={t({ message: 'Expires soon', context: 'certificate' })} />
  ) : (
    <StateBadge kind="bad" text={t({ message: 'Expired', context: 'certificate' })} />
  )
}

function useRemoval(cplc: string, { id, name, host }: Scp11Credential) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Delete the credentials “${name}”?`,
        text: host
          ? t`Grove permanently destroys the private key. Cards that are opened with them need other credentials, or their own keys.`
          : t`Cards that are opened with them need other credentials, or their own keys.`,
        action: t`Delete the credentials`,
        isDanger: true,
      },
      change: () => api.maple.delete(scp11Path, { query: { id, cplc } }),
      done: () => t`The credentials are deleted.`,
      refresh: () => invalidate('maple', scp11Path),
    })
}
