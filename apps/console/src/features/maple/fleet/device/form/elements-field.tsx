import { maxElements } from '@grove/contract/maple/fleet/device.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Link } from '../../../../../ui/link/link.tsx'
import { checkCplc, cplcDigits, icSerial } from '@grove/secure-element/cplc'
import { ChipName } from '../element/chip-name.tsx'
import { useDevicesPage } from '../../devices-page.ts'
import type { ElementRow } from './device-values.ts'
import { iconName, tooltip } from '../../../../../ui/kit/tooltip.ts'
import styles from './elements-field.module.css'

/** The service's maximum length (`cplc` of the contract). */
interface ElementsFieldProps {
  rows: ElementRow[]
  onChange: (update: (rows: ElementRow[]) => ElementRow[]) => void
  errorOf: (index: number) => string | undefined
  /** One of them belongs to another device. */
  isTaken: boolean
}

/** The elements of a device: attached ones, and inputs for the CPLCs of new ones. */
export function ElementsField({ rows, onChange, errorOf, isTaken }: ElementsFieldProps) {
  const { t } = useLingui()
  const list = useRef<HTMLFieldSetElement>(null)
  const isFull = rows.length >= maxElements

  const add = () => {
    // Immediately, so that what is typed or pasted next lands in the new line.
    flushSync(() =>
      onChange((now) => [...now, { key: crypto.randomUUID(), text: '', isAttached: false }]),
    )
    list.current?.querySelector<HTMLElement>('li:last-child textarea')?.focus()
  }
  const remove = (key: string) => {
    onChange((now) => now.filter((row) => row.key !== key))
    list.current?.querySelector<HTMLElement>('[data-add]')?.focus()
  }

  return (
    <fieldset ref={list} className="choice">
      <legend>{t`Secure elements`}</legend>
      {rows.length > 0 && (
        <ul className={styles.rows}>
          {rows.map((row, index) => (
            <ElementLine
              key={row.key}
              row={row}
              error={errorOf(index)}
              isTaken={isTaken && errorOf(index) !== undefined}
              onText={(text) =>
                onChange((now) =>
                  now.map((each) => (each.key === row.key ? { ...each, text } : each)),
                )
              }
              onRemove={() => remove(row.key)}
            />
          ))}
        </ul>
      )}
      <button
        type="button"
        data-add
        className={`button ${styles.add}`}
        aria-disabled={isFull}
        {...tooltip(isFull ? t`A device can have at most ${maxElements} elements.` : undefined)}
        onClick={() => !isFull && add()}
      >
        <Plus size={16} aria-hidden />
        <Trans>Add an element</Trans>
      </button>
    </fieldset>
  )
}

interface ElementLineProps {
  row: ElementRow
  error: string | undefined
  isTaken: boolean
  onText: (text: string) => void
  onRemove: () => void
}

function ElementLine({ row, error, isTaken, onText, onRemove }: ElementLineProps) {
  const { t } = useLingui()
  const id = useId()
  const devicesPage = useDevicesPage()
  const check = checkCplc(row.text)
  const whole = check.kind === 'complete' ? check.cplc : undefined
  const found = check.kind === 'notHex' ? check.found : undefined
  const digits = check.kind === 'wrongLength' ? check.digits : undefined
  const serial = whole && icSerial(whole)
  const shown = error ?? (found === undefined ? undefined : t`“${found}” is not a hex digit.`)
  return (
    <li className={styles.row}>
      {row.isAttached && whole !== undefined ? (
        <div className={styles.attached}>
          <ChipName cplc={whole} /> · <Trans>serial {serial}</Trans>
        </div>
      ) : (
        <textarea
          className={`input mono ${styles.cplc}`}
          rows={3}
          value={row.text}
          aria-label="CPLC"
          placeholder="9F7F2A…"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={shown ? true : undefined}
          aria-describedby={id}
          onChange={(event) => onText(event.target.value)}
        />
      )}
      <button
        type="button"
        className="button quiet icon"
        {...iconName(t`Remove this element`)}
        onClick={onRemove}
      >
        <Trash2 size={16} />
      </button>
      <div id={id} className={styles.note}>
        {shown !== undefined ? (
          <span className="field-error">
            {shown}{' '}
            {isTaken && whole !== undefined && (
              <Link
                to={devicesPage}
                search={{ q: whole }}
                target="_blank"
                preload={false}
                prefetch="none"
              >
                <Trans>Find that device</Trans>
              </Link>
            )}
          </span>
        ) : row.isAttached ? null : whole !== undefined ? (
          <span className="field-hint">
            <ChipName cplc={whole} /> · <Trans>serial {serial}</Trans>
          </span>
        ) : (
          <span className="field-hint">
            {digits !== undefined && (
              <Trans>
                {digits} of {cplcDigits} hex digits
              </Trans>
            )}
          </span>
        )}
      </div>
    </li>
  )
}
