import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { codePath, codesQuery, refreshCodes } from './product.api.ts'
import { CodeStateBadge, codeStateOf } from './product.labels.tsx'

const NewClaimCode = onDemand(() =>
  import('./new-claim-code.tsx').then((file) => file.NewClaimCode),
)
const ShownCode = onDemand(() => import('./shown-code.tsx').then((file) => file.ShownCode))

/** The codes with which devices register: a new one is shown once, the others only with their usage. */
export function ClaimCodes({ product }: { product: MapleProduct }) {
  const { t } = useLingui()
  const now = useMinute()
  const codes = useQuery(codesQuery(product.id))
  const { data } = codes
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<ClaimCode & { code: string }>()
  usePrefetch(NewClaimCode, ShownCode)
  const items = data?.items ?? []
  return (
    <Section
      title={t`Claim codes`}
      loading={codes}
      description={t`A device exchanges a code for its own secret, and then belongs to this product.`}
      action={
        <PanelAction
          icon={KeyRound}
          label={t`New claim code…`}
          refusal={
            product.rights.claim === null
              ? undefined
              : t`The product is at its end of life: it accepts no new devices.`
          }
          onAct={() => setAdding(true)}
        />
      }
    >
      {made && <ShownCode code={made} />}
      {data && items.length === 0 && (
        <p className="muted">
          <Trans>No claim code yet.</Trans>
        </p>
      )}
      <Rows aria-label={t`Claim codes`}>
        {items.map((code) => (
          <Code key={code.id} code={code} now={now} />
        ))}
      </Rows>
      {isAdding && (
        <NewClaimCode
          product={product}
          onMade={(code) => {
            setMade(code)
            setAdding(false)
            void refreshCodes()
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Section>
  )
}

function Code({ code, now }: { code: ClaimCode; now: number }) {
  const { t, i18n } = useLingui()
  const confirmed = useConfirmed()
  const { id, name, uses, mostUses, state, expiresAt } = code
  const used = i18n.number(uses)
  const most = i18n.number(mostUses)
  const codeState = codeStateOf(code, now)
  const revoke = () =>
    confirmed({
      question: {
        title: t`Revoke “${name}”?`,
        text: t`No device can use it any more. Devices that used it keep their secrets.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => api.maple.delete(codePath, { query: { id } }),
      done: () => t`The claim code is revoked.`,
      refresh: refreshCodes,
    })
  return (
    <li>
      <div>
        <bdi>{name}</bdi> <CodeStateBadge state={codeState} />
        <p className="muted">
          <Trans>
            {used} of {most} used
          </Trans>
          {' · '}
          {state === 'accepted' ? (
            <Trans>devices are accepted immediately</Trans>
          ) : (
            <Trans>devices wait until a person accepts them</Trans>
          )}
          {' · '}
          <Trans>
            until <DateText value={expiresAt} />
          </Trans>
        </p>
      </div>
      {codeState === 'usable' && (
        <button type="button" className="button small" onClick={() => void revoke()}>
          <Trans>Revoke…</Trans>
        </button>
      )}
    </li>
  )
}
