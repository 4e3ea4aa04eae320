import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { Trans, useLingui } from '@lingui/react/macro'
import { Camera, Copy, Package, RotateCcw, SquareTerminal, Trash2, Wrench, Zap } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { BreakCard } from './break-card.tsx'
import { NameCopy, NameSnapshot } from './name-dialog.tsx'
import { CardSnapshots } from './card-snapshots.tsx'
import { cards, path } from './software-card.api.ts'
import { EditCard } from './software-card.form.tsx'
import { CardStateBadge, useFaultTexts, useKindWords } from './software-card.labels.tsx'
import styles from './software-card.module.css'

/** One software card: its contents, its faults, and its snapshots. */
export function CardPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={cards.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no software card with this CPLC.`}
      renderActions={(card) => <CardActions card={card} onGone={panel.onClose} />}
      renderForm={(card, onEnd) => <EditCard key={card.id} card={card} onEnd={onEnd} />}
    >
      {(card) => (
        <div className="form">
          <Faults card={card} />
          <CardFacts card={card} />
          <Section title={t`Snapshots`}>
            <CardSnapshots id={card.id} />
          </Section>
          <p className="muted">
            <Trans>
              The card does not run byte code. Applets that Grove knows, such as NDEF, fingerprint
              or a wallet, are simulated by a model; all others answer 6D00.
            </Trans>
          </p>
        </div>
      )}
    </ItemPanel>
  )
}

function CardActions({ card, onGone }: { card: SoftwareCard; onGone: () => void }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [open, setOpen] = useState<'break' | 'copy' | 'snapshot'>()
  const { id, revision, name } = card
  const close = () => setOpen(undefined)
  const reset = () =>
    confirmed({
      question: {
        title: t`Reset “${name}”?`,
        text: t`Everything on the card is erased, including its keys and faults. Snapshots stay.`,
        action: t`Reset the card`,
        isDanger: true,
      },
      change: () =>
        api.maple.post('/api/maple/software_cards/reset', { query: { id }, ifMatch: revision }),
      done: () => t`The card is reset.`,
      refresh: cards.refresh,
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its element and its snapshots are deleted with it, and its device is retired. The logs of its sessions stay.`,
        action: t`Delete the card`,
        isDanger: true,
      },
      change: () => api.maple.delete(path, { query: { id }, ifMatch: revision }),
      done: () => t`The card is deleted.`,
      onDone: onGone,
      refresh: cards.refresh,
    })
  return (
    <>
      <Link
        className="button primary"
        to="/dashboard/maple/sessions/se"
        search={{ cplc: id, create: true }}
        preload={false}
      >
        <SquareTerminal size={16} aria-hidden />
        <Trans>Open a session</Trans>
      </Link>
      <Link className="button" to="/dashboard/maple/applets" preload={false}>
        <Package size={16} aria-hidden />
        <Trans>Install an applet</Trans>
      </Link>
      <PanelAction icon={Zap} label={t`Break…`} onAct={() => setOpen('break')} />
      <PanelAction icon={Camera} label={t`Snapshot…`} onAct={() => setOpen('snapshot')} />
      <PanelAction icon={Copy} label={t`Copy…`} onAct={() => setOpen('copy')} />
      <PanelAction icon={RotateCcw} label={t`Reset…`} onAct={() => void reset()} />
      <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
      {open === 'break' && <BreakCard card={card} onClose={close} />}
      {open === 'copy' && <NameCopy card={card} onClose={close} />}
      {open === 'snapshot' && <NameSnapshot card={card} onClose={close} />}
    </>
  )
}

function Faults({ card }: { card: SoftwareCard }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const texts = useFaultTexts()(card.faults)
  if (texts.length === 0) return null
  const mend = () =>
    confirmed({
      question: {
        title: t`Repair the card?`,
        text: t`All faults are cleared. The card’s contents stay.`,
        action: t`Repair the card`,
      },
      change: () =>
        api.maple.put(path, {
          query: { id: card.id },
          ifMatch: card.revision,
          body: { faults: {} },
        }),
      done: () => t`The card is repaired.`,
      refresh: cards.refresh,
    })
  return (
    <div className={styles.broken}>
      <Zap size={16} aria-hidden />
      <p>
        <strong>
          <Trans>Broken on purpose:</Trans>
        </strong>{' '}
        {texts.join(', ')}
      </p>
      <button type="button" className="button" onClick={() => void mend()}>
        <Wrench size={16} aria-hidden />
        <Trans>Repair…</Trans>
      </button>
    </div>
  )
}

function CardFacts({ card }: { card: SoftwareCard }) {
  const { t, i18n } = useLingui()
  const words = useKindWords()
  const { memory, applications, packages, keyVersions } = card
  const hex = (version: number) => version.toString(16).toUpperCase().padStart(2, '0')
  const list = (values: readonly string[]) =>
    values.length === 0
      ? '–'
      : values.map((value) => (
          <div key={value}>
            <code>{value}</code>
          </div>
        ))
  return (
    <PanelFacts
      facts={[
        [t`State`, <CardStateBadge key="state" lifeCycle={card.lifeCycle} />],
        [t`Kind`, words[card.kind]],
        [t`Secure channel`, card.protocol],
        [t`Key versions`, keyVersions.map(hex).join(', ')],
        [t`Free memory`, t`${i18n.number(memory.free)} of ${i18n.number(memory.total)} bytes`],
        [t`Applications`, list(applications)],
        [t`Packages`, list(packages)],
        [
          t`Secure element`,
          <Link
            key="element"
            to="/dashboard/maple/secure_elements/$cplc"
            params={{ cplc: card.id }}
            preload={false}
          >
            <Trans>Its page</Trans>
          </Link>,
        ],
        [t`Created`, <DateText key="created" value={card.createdAt} />],
      ]}
    />
  )
}
