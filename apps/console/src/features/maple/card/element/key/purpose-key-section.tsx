import type { PurposeKey } from '@grove/contract/maple/card/purpose-key'
import {
  isOpenPurposeKey,
  type KeyPurpose,
  type PurposeKeyState,
} from '@grove/contract/maple/card/purpose-key.rules'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FileKey, PenLine, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../../../ui/kit/on-demand.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { CopyButton } from '../../../../../ui/text/copy-button.tsx'
import { StateBadge, type StateKind } from '../../../../../ui/text/state-badge.tsx'
import { useAttempt } from '../../../../../ui/toast/use-attempt.ts'
import { domainsQuery } from '../element.api.ts'
import { purposeKeysQuery, refreshKeys } from './key.api.ts'
import { useCauseText } from './key.labels.tsx'
import { OfDomain } from './of-domain.tsx'
import { TokenRequests } from './token-requests.tsx'
import styles from './key.module.css'

const SignCommands = onDemand(() => import('./sign-commands.tsx').then((file) => file.SignCommands))
const GiveKey = onDemand(() => import('./give-purpose-key.tsx').then((file) => file.GivePurposeKey))

/** A card's keys for tokens, receipts and load file signatures. */
export function PurposeKeySection({ element }: { element: SecureElement }) {
  const { t } = useLingui()
  const { cplc, state } = element
  const loading = useQuery(purposeKeysQuery(cplc))
  const { data: domains } = useQuery(domainsQuery(cplc))
  const [open, setOpen] = useState<'give' | 'sign'>()
  const close = () => setOpen(undefined)
  usePrefetch(GiveKey, SignCommands)
  const items = loading.data?.items ?? []
  const shown = items.filter((key) => key.state === 'active' || isOpenPurposeKey(key.state))
  const signs = shown.some(({ purpose, hasSecret }) => purpose === 'token' && hasSecret)
  const [latest] = items
  const failed = latest && !shown.includes(latest) && latest.state !== 'replaced' ? [latest] : []
  const refusal = shown.some((key) => isOpenPurposeKey(key.state))
    ? t`Another key is being sent.`
    : state === 'blocked'
      ? t`The element is blocked. Clear the block first.`
      : state === 'terminated'
        ? t`The card is terminated: its keys can never be used again.`
        : undefined
  return (
    <Section
      title={t`Keys for tokens, receipts and DAP`}
      loading={loading}
      action={
        loading.data && (
          <div className="actions">
            {signs && (
              <PanelAction icon={PenLine} label={t`Sign commands…`} onAct={() => setOpen('sign')} />
            )}
            <PanelAction
              icon={FileKey}
              label={t`Give a key…`}
              refusal={refusal}
              onAct={() => setOpen('give')}
            />
          </div>
        )
      }
    >
      {loading.data && shown.length === 0 && failed.length === 0 && (
        <p className="muted">
          <Trans>
            None. With a key for tokens, a security domain can manage its applets on behalf of the
            issuer; with one for receipts, the card proves what it did; with one for DAP, a domain
            takes signed load files only.
          </Trans>
        </p>
      )}
      <ul className={styles.sets}>
        {[...failed, ...shown].map((key) => (
          <KeyItem key={key.id} item={key} />
        ))}
      </ul>
      <TokenRequests cplc={cplc} />
      {open === 'sign' && <SignCommands cplc={cplc} onClose={close} />}
      {open === 'give' && (
        <GiveKey
          cplc={cplc}
          domains={(domains?.items ?? [])
            .filter(({ parent }) => parent !== null)
            .map(({ aid }) => aid)}
          onClose={close}
        />
      )}
    </Section>
  )
}

const stateKinds: Record<PurposeKeyState, StateKind> = {
  asked: 'waiting',
  sending: 'waiting',
  active: 'good',
  refused: 'bad',
  failed: 'bad',
  replaced: 'ended',
}

function useWords() {
  const { t } = useLingui()
  const purposes: Record<KeyPurpose, string> = {
    token: t({ message: 'Token key', context: 'delegated management' }),
    receipt: t({ message: 'Receipt key', context: 'delegated management' }),
    dap: t({ message: 'DAP key', context: 'delegated management' }),
  }
  const states: Record<PurposeKeyState, string> = {
    asked: t({ message: 'Sending', context: 'state of a key' }),
    sending: t({ message: 'Perhaps on the card', context: 'state of a key' }),
    active: t({ message: 'In use', context: 'state of a key' }),
    refused: t({ message: 'Refused by the card', context: 'state of a key' }),
    failed: t({ message: 'Not sent', context: 'state of a key' }),
    replaced: t({ message: 'Replaced', context: 'state of a key' }),
  }
  return { purposes, states }
}

function KeyItem({ item }: { item: PurposeKey }) {
  const { t } = useLingui()
  const { purposes, states } = useWords()
  const causeText = useCauseText()
  const attempt = useAttempt()
  const forget = useForget(item)
  const { id, domain, purpose, kind, length, checkValue, publicKey, hasSecret, state } = item
  const { cause, statusWord, createdAt } = item
  const cipher = kind === 'EC' ? 'P-256' : kind === 'DES' ? '3DES' : `${kind}-${length}`
  const reason = cause && causeText({ cause, ...(statusWord !== null && { statusWord }) })
  const repeat = async () => {
    await attempt(() => api.maple.put('/api/maple/se/keys/purpose', { query: { id } }))
    await refreshKeys()
  }
  return (
    <li>
      <div>
        <p className={styles.version}>
          <strong>{purposes[purpose]}</strong>
          <span>{cipher}</span>
          <StateBadge kind={stateKinds[state]} text={states[state]} />
        </p>
        <OfDomain domain={domain} />
        {reason && <p>{reason}</p>}
        {checkValue !== null && (
          <p>
            <abbr title={t`Key check value`}>KCV</abbr> <code>{checkValue}</code>
          </p>
        )}
        <p className="muted">
          {publicKey !== null && state === 'active' && (
            <>
              {hasSecret
                ? t`Grove has the private key`
                : t`Grove has the public key alone, and signs nothing with it`}{' '}
              ·{' '}
            </>
          )}
          <Trans>since</Trans> <DateText value={createdAt} />
        </p>
      </div>
      <div className="actions">
        {isOpenPurposeKey(state) && (
          <PanelAction icon={RotateCw} label={t`Send it again`} onAct={() => void repeat()} />
        )}
        {publicKey !== null && state === 'active' && (
          <CopyButton value={publicKey} label={t`Copy the public key`} />
        )}
        <PanelAction icon={Trash2} label={t`Forget…`} onAct={() => void forget()} />
      </div>
    </li>
  )
}

function useForget({ id, state, hasSecret }: PurposeKey) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Forget this key?`,
        text:
          state === 'active' && hasSecret
            ? t`Grove permanently destroys the key, but the card keeps it. Unless you have a copy, nobody can sign for this card or verify its receipts again.`
            : t`Grove removes it from the list. The card stays as it is.`,
        action: t`Forget the key`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/se/keys/purpose', { query: { id } }),
      done: () => t`The key is forgotten.`,
      refresh: refreshKeys,
    })
}
