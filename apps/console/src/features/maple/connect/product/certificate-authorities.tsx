import type { CertificateAuthority } from '@grove/contract/maple/connect/certificate-authority'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ShieldPlus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { authorityPath, refreshAuthorities } from '../certificate/certificate.api.ts'
import { useRefusalWords } from '../certificate/refusal-words.ts'
import { authoritiesQuery } from './authority.api.ts'
import { AuthorityStateBadge, nameOfAuthority } from './authority.labels.tsx'

const AddAuthority = onDemand(() => import('./add-authority.tsx').then((file) => file.AddAuthority))
const ProveAuthority = onDemand(() =>
  import('./prove-authority.tsx').then((file) => file.ProveAuthority),
)
const Certificates = onDemand(() => import('./certificates.tsx').then((file) => file.Certificates))

type Opened = 'adding' | { kind: 'proof' | 'certificates'; id: string }

/** The authorities whose certificates admit devices without a claim code. */
export function CertificateAuthorities({ product }: { product: MapleProduct }) {
  const { t } = useLingui()
  const authorities = useQuery(authoritiesQuery(product.id))
  const { data } = authorities
  const [opened, setOpened] = useState<Opened>()
  usePrefetch(AddAuthority, ProveAuthority, Certificates)
  const items = data?.items ?? []
  const close = () => setOpened(undefined)
  const shown = typeof opened === 'object' ? items.find(({ id }) => id === opened.id) : undefined
  return (
    <Section
      title={t`Certificate authorities`}
      loading={authorities}
      description={t`A device with a certificate of one of these connects without a code.`}
      action={
        <PanelAction
          icon={ShieldPlus}
          label={t`Add an authority…`}
          refusal={
            product.rights.claim === null
              ? undefined
              : t`The product is at its end of life: it accepts no new devices.`
          }
          onAct={() => setOpened('adding')}
        />
      }
    >
      {data && items.length === 0 && (
        <p className="muted">
          <Trans>No certificate authority yet.</Trans>
        </p>
      )}
      <Rows aria-label={t`Certificate authorities`}>
        {items.map((authority) => (
          <Authority
            key={authority.id}
            authority={authority}
            onOpen={(kind) => setOpened({ kind, id: authority.id })}
          />
        ))}
      </Rows>
      {opened === 'adding' && (
        <AddAuthority
          product={product}
          onClose={close}
          onMade={async ({ id }) => {
            await refreshAuthorities()
            setOpened({ kind: 'proof', id })
          }}
        />
      )}
      {shown && opened !== 'adding' && opened?.kind === 'proof' && shown.challenge !== null && (
        <ProveAuthority authority={shown} challenge={shown.challenge} onClose={close} />
      )}
      {shown && opened !== 'adding' && opened?.kind === 'certificates' && (
        <Certificates authority={shown} onClose={close} />
      )}
    </Section>
  )
}

interface AuthorityProps {
  authority: CertificateAuthority
  onOpen: (kind: 'proof' | 'certificates') => void
}

function Authority({ authority, onOpen }: AuthorityProps) {
  const { t, i18n } = useLingui()
  const now = useMinute()
  const reasons = useRefusalWords()
  const { name, state, validTo, productId, isEnabled, challenge, refused, devices } = authority
  const { value: count } = devices
  const devicesText = `${i18n.number(count)}${devices.isCapped ? '+' : ''}`
  const subject = nameOfAuthority(authority)
  return (
    <li>
      <div>
        <bdi>{name}</bdi> <AuthorityStateBadge authority={authority} now={now} />
        <p className="muted">
          {subject !== name && (
            <>
              <bdi>{subject}</bdi>
              {' · '}
            </>
          )}
          {plural(count, { one: `${devicesText} device`, other: `${devicesText} devices` })}
          {' · '}
          {state === 'accepted' ? (
            <Trans>devices are accepted immediately</Trans>
          ) : (
            <Trans>devices wait until a person accepts them</Trans>
          )}
          {' · '}
          <Trans>
            until <DateText value={validTo} />
          </Trans>
          {productId === null && (
            <>
              {' · '}
              <Trans>new devices get no product</Trans>
            </>
          )}
        </p>
        {refused && (
          <p className="muted">
            <Trans>
              Last refused, <DateText value={refused.at} />: certificate{' '}
              <code>{refused.serial}</code>.
            </Trans>{' '}
            {reasons[refused.reason]}
          </p>
        )}
      </div>
      <div className="actions">
        {challenge === null ? (
          <button
            type="button"
            className="button small"
            aria-label={t`Certificates of ${name}…`}
            onClick={() => onOpen('certificates')}
          >
            <Trans>Certificates…</Trans>
          </button>
        ) : (
          <button
            type="button"
            className="button small"
            aria-label={t`Prove ownership of ${name}…`}
            onClick={() => onOpen('proof')}
          >
            <Trans>Prove ownership…</Trans>
          </button>
        )}
        {challenge === null && <Switch authority={authority} isEnabled={isEnabled} />}
        <Remove authority={authority} />
      </div>
    </li>
  )
}

function Switch({
  authority: { id, name, revision },
  isEnabled,
}: {
  authority: CertificateAuthority
  isEnabled: boolean
}) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const act = () =>
    confirmed({
      question: isEnabled
        ? {
            title: t`Disable “${name}”?`,
            text: t`Its devices are disconnected within seconds, and cannot connect with its certificates until you enable it.`,
            action: t({ message: 'Disable', context: 'an authority' }),
            isDanger: true,
          }
        : {
            title: t`Enable “${name}”?`,
            text: t`Devices can connect with its certificates again, except those that are revoked.`,
            action: t`Enable`,
          },
      change: () =>
        api.maple.put(`${authorityPath}/{id}`, {
          params: { id },
          ifMatch: revision,
          body: { isEnabled: !isEnabled },
        }),
      done: () =>
        isEnabled
          ? t`The certificate authority is disabled.`
          : t`The certificate authority is enabled.`,
      refresh: refreshAuthorities,
    })
  return (
    <button
      type="button"
      className="button small"
      aria-label={isEnabled ? t`Disable ${name}…` : t`Enable ${name}…`}
      onClick={() => void act()}
    >
      {isEnabled ? <Trans>Disable…</Trans> : <Trans>Enable…</Trans>}
    </button>
  )
}

function Remove({
  authority: { id, name, revision, devices },
}: {
  authority: CertificateAuthority
}) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { value: count } = devices
  const act = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: plural(count, {
          0: 'No device has connected with its certificates. Revoked serial numbers are forgotten.',
          one: '# device has connected with its certificates. It stays, is disconnected, and needs a secret or another certificate. Revoked serial numbers are forgotten.',
          other:
            '# devices have connected with its certificates. They stay, are disconnected, and need secrets or other certificates. Revoked serial numbers are forgotten.',
        }),
        action: t`Delete the authority`,
        isDanger: true,
      },
      change: () =>
        api.maple.delete(`${authorityPath}/{id}`, { params: { id }, ifMatch: revision }),
      done: () => t`The certificate authority is deleted.`,
      refresh: refreshAuthorities,
    })
  return (
    <button
      type="button"
      className="button small"
      aria-label={t`Delete ${name}…`}
      onClick={() => void act()}
    >
      <Trans>Delete…</Trans>
    </button>
  )
}
