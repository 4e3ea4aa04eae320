import type { Rotation } from '@grove/contract/maple/card/key'
import { isOpenRotation, type RotationStep } from '@grove/contract/maple/card/key.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleHelp } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { StateBadge, type StateKind } from '../../../../../ui/text/state-badge.tsx'
import { hexVersion } from '../../hex-version.ts'
import { Person } from '../../../../../people/person.tsx'
import { refreshKeys } from './key.api.ts'
import { useCauseText, useKeyWords } from './key.labels.tsx'
import { OfDomain } from './of-domain.tsx'
import styles from './key.module.css'

/** The progress of a rotation, its journal, and what to do if the card gave no answer. */
export function RotationView({ rotation }: { rotation: Rotation }) {
  const words = useKeyWords()
  const { step, domain, oldVersion, newVersion, journal, createdBy } = rotation
  const last = journal.at(-1)
  const isOpen = isOpenRotation(step)
  const steps = oldVersion === null ? words.firstSteps : words.steps
  const [from, to] = [oldVersion === null ? null : hexVersion(oldVersion), hexVersion(newVersion)]
  return (
    <div className={styles.rotation} data-open={isOpen || undefined}>
      <p>
        <strong>
          {from === null ? (
            <Trans>First keys of a domain, version {to}</Trans>
          ) : from === to ? (
            <Trans>Rotation of version {from}</Trans>
          ) : (
            <Trans>
              Rotation from version {from} to {to}
            </Trans>
          )}
        </strong>{' '}
        <span className="muted">
          <Person id={createdBy} />, <DateText value={rotation.createdAt} isRelative />
        </span>
      </p>
      <OfDomain domain={domain} />
      <Progress rotation={rotation} />
      <output>{steps[step]}</output>
      {last?.note && (
        <p className="muted">
          <Cause entry={last} />
        </p>
      )}
      {step === 'unknown' && <AskCard id={rotation.id} />}
      <details>
        <summary>
          <Trans>Journal</Trans>
        </summary>
        <ol className={styles.journal}>
          {journal.map((entry, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- entries are only added
            <li key={index}>
              <DateText value={entry.at} /> {steps[entry.step]}{' '}
              <span className="muted">
                <Cause entry={entry} />
              </span>
            </li>
          ))}
        </ol>
      </details>
    </div>
  )
}

function Cause({ entry }: { entry: Rotation['journal'][number] }) {
  const textOf = useCauseText()
  const text = textOf(entry)
  // Older entries only have their log text.
  return text ?? (entry.note === null ? null : <span lang="en">{entry.note}</span>)
}

type Place = 'done' | 'now' | 'next' | 'unknown' | 'failed'

const kinds: Record<Place, StateKind> = {
  done: 'good',
  now: 'waiting',
  next: 'idle',
  unknown: 'warning',
  failed: 'bad',
}

/** The rotation's place among sent, authenticated and committed. */
function Progress({ rotation: { step, journal } }: { rotation: Rotation }) {
  const { t } = useLingui()
  const wasSent = journal.some((entry) => entry.step === 'sent')
  const places = placesOf(step, wasSent)
  const words: Record<Place, string> = {
    done: t({ message: 'done', context: 'step of a rotation' }),
    now: t({ message: 'now', context: 'step of a rotation' }),
    next: t({ message: 'pending', context: 'step of a rotation' }),
    unknown: t({ message: 'not known', context: 'step of a rotation' }),
    failed: t({ message: 'failed', context: 'step of a rotation' }),
  }
  const names = [t`Send the new keys`, t`Authenticate with them`, t`Activate them`]
  return (
    <ol className={styles.progress}>
      {names.map((name, index) => {
        const place = places[index] ?? 'next'
        return (
          <li key={name} aria-current={place === 'now' ? 'step' : undefined}>
            <StateBadge kind={kinds[place]} text={name} />
            <span className="muted">{words[place]}</span>
          </li>
        )
      })}
    </ol>
  )
}

function placesOf(step: RotationStep, wasSent: boolean): readonly [Place, Place, Place] {
  switch (step) {
    case 'asked':
    case 'sending':
      return ['now', 'next', 'next']
    case 'sent':
      return ['done', 'now', 'next']
    case 'committed':
      return ['done', 'done', 'done']
    case 'unknown':
      return wasSent ? ['done', 'unknown', 'next'] : ['unknown', 'next', 'next']
    default:
      return wasSent ? ['done', 'failed', 'next'] : ['failed', 'next', 'next']
  }
}

function AskCard({ id }: { id: string }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const ask = () =>
    confirmed({
      question: {
        title: t`Ask the card which keys it has?`,
        text: t`Grove opens one secure channel. The card’s first reply shows whether it has the new keys or the old ones, and the rotation ends with those. PUT KEY is not sent again. The card must be reachable.`,
        action: t`Query the card`,
      },
      change: () => api.maple.put('/api/maple/se/keys/rotation', { query: { id } }),
      done: () => t`Querying the card.`,
      refresh: refreshKeys,
    })
  return (
    <p>
      <button type="button" className="button primary" onClick={() => void ask()}>
        <CircleHelp size={16} aria-hidden />
        <Trans>Query the card…</Trans>
      </button>
    </p>
  )
}
