import { Trans, useLingui } from '@lingui/react/macro'
import { readHex } from '@grove/secure-element/bytes'
import { explainCplc } from '@grove/secure-element/explain-cplc'
import type { Part } from '@grove/secure-element/part'
import { useId, useState } from 'react'
import { cplcGroups } from './cplc-groups.ts'
import styles from './cplc-map.module.css'
import { meaningText } from './meaning-text.ts'
import { partLabels } from './part.labels.ts'

/**
 * The 42 bytes of a CPLC by field and production step. Hovering over a field, selecting it with the
 * arrow keys or touching it explains it.
 */
export function CplcMap({ cplc }: { cplc: string }) {
  const { i18n, t } = useLingui()
  const radios = useId()
  const [now] = useState(() => new Date())
  const [chosen, setChosen] = useState<Part['name']>('icFabricator')
  const [pointed, setPointed] = useState<Part['name']>()
  const parts = explainCplc(readHex(cplc), now)
  const shown = pointed ?? chosen
  return (
    <div className={styles.map}>
      <div
        role="radiogroup"
        aria-label={t`CPLC, byte by byte`}
        className={styles.groups}
        onPointerLeave={() => setPointed(undefined)}
      >
        {cplcGroups.map(({ id, label, fields }) => (
          <div key={id} className={styles.group} data-group={id}>
            <span className={styles.label}>{i18n._(label)}</span>
            <div className={styles.fields}>
              {parts
                .filter(({ name }) => fields.some((field) => field === name))
                .map(({ name, from, hex }) => (
                  <label
                    key={name}
                    className={styles.field}
                    data-shown={name === shown || undefined}
                    onPointerEnter={({ pointerType }) =>
                      pointerType === 'mouse' && setPointed(name)
                    }
                  >
                    <input
                      type="radio"
                      className="visually-hidden"
                      name={radios}
                      checked={name === chosen}
                      onChange={() => {
                        setPointed(undefined)
                        setChosen(name)
                      }}
                    />
                    <span className="visually-hidden">{i18n._(partLabels[name])}</span>
                    <code className={styles.hex}>{spaced(hex)}</code>
                    <span className={styles.offset} aria-hidden>
                      {from}
                    </span>
                  </label>
                ))}
            </div>
          </div>
        ))}
      </div>
      <Field part={parts.find(({ name }) => name === shown)} />
    </div>
  )
}

const spaced = (hex: string) => hex.match(/../g)?.join(' ')

/** The value and meaning of the selected field. */
function Field({ part }: { part: Part | undefined }) {
  const { i18n } = useLingui()
  if (!part) return null
  const { name, from, to, hex, meaning } = part
  const group = cplcGroups.find(({ fields }) => fields.some((field) => field === name))
  const last = to - 1
  return (
    <output className={styles.shown} data-group={group?.id}>
      <strong>{i18n._(partLabels[name])}</strong>{' '}
      <span className={styles.range}>
        <Trans>
          bytes {from}–{last}
        </Trans>
      </span>
      <div className={styles.meaning}>
        <code>{hex}</code>
        {meaning && <span>{meaningText(meaning, i18n)}</span>}
      </div>
      {group && <p className={styles.note}>{i18n._(group.note)}</p>}
      {meaning?.kind === 'date' && meaning.date.kind === 'date' && (
        <p className={styles.note}>
          <Trans>The chip stores the day and only the last digit of the year.</Trans>
        </p>
      )}
    </output>
  )
}
