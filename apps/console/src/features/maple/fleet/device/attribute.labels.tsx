import type { Device } from '@grove/contract/maple/fleet/device'
import { attributeTypes, type AttributeType } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import styles from './attribute.labels.module.css'
import { momentText } from '../../../../ui/i18n/moment-text.ts'

/** Attribute types and values in the reader's language. */
export function useAttributeWords() {
  const { i18n, t } = useLingui()
  const type: Record<AttributeType, string> = {
    text: t`Text`,
    number: t`Number`,
    boolean: t`Yes or no`,
    date: t`Day`,
  }
  const [yes, no] = [t`Yes`, t`No`]
  return {
    types: attributeTypes.map((value) => ({ value, label: type[value] })),
    yes,
    no,
    valueOf: ({ type: kind, value }: Device['attributes'][string]): string => {
      if (typeof value === 'boolean') return value ? yes : no
      if (typeof value === 'number') return i18n.number(value, { maximumFractionDigits: 15 })
      // A date is the same in every time zone.
      return kind === 'date'
        ? momentText(i18n, `${value}T00:00:00Z`, { dateStyle: 'medium', timeZone: 'UTC' })
        : value
    },
  }
}

export function TagList({ tags }: Pick<Device, 'tags'>) {
  if (tags.length === 0) return <span className="muted">–</span>
  return (
    <ul className={styles.tags}>
      {tags.map((tag) => (
        <li key={tag}>
          <bdi>{tag}</bdi>
        </li>
      ))}
    </ul>
  )
}

/** A value in its own column. */
export function AttributeValueText({ value }: { value: Device['attributes'][string] }) {
  return <>{useAttributeWords().valueOf(value)}</>
}
