import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'

interface MergeChoiceProps {
  isReplacing: boolean
  /** The element's domains that are missing from the list; undefined while the list cannot be parsed. */
  missing: readonly SecurityDomain[] | undefined
  onChange: (isReplacing: boolean) => void
}

/** What happens to the domains missing from the list, by name. */
export function MergeChoice({ isReplacing, missing, onChange }: MergeChoiceProps) {
  const { t } = useLingui()
  const names = missing?.map(({ aid }) => aid).join(', ')
  const count = missing?.length ?? 0
  return (
    <fieldset className="choice">
      <legend>{t`Domains that are not in the list`}</legend>
      <label>
        <input
          type="radio"
          name="replace"
          checked={!isReplacing}
          onChange={() => onChange(false)}
        />
        <span>
          {t`Merge: they stay`}
          {count > 0 && (
            <small>{t`${plural(count, { one: '# stays', other: '# stay' })}: ${names}`}</small>
          )}
        </span>
      </label>
      <label>
        <input type="radio" name="replace" checked={isReplacing} onChange={() => onChange(true)} />
        <span>
          {t`Replace: they are removed`}
          {count > 0 && (
            <small className={isReplacing ? 'field-error' : undefined}>
              {t`${plural(count, { one: '# is removed', other: '# are removed' })}: ${names}`}
            </small>
          )}
          {missing?.length === 0 && <small>{t`The list has all domains of the element.`}</small>}
        </span>
      </label>
    </fieldset>
  )
}

interface PlaceChoiceProps {
  place: 'card' | 'record'
  canReachCard: boolean
  onChange: (place: 'card' | 'record') => void
}

/** The card itself, or what Grove knows about it. */
export function PlaceChoice({ place, canReachCard, onChange }: PlaceChoiceProps) {
  const { t } = useLingui()
  return (
    <fieldset className="choice">
      <legend>{t`What to change`}</legend>
      <label>
        <input
          type="radio"
          name="place"
          disabled={!canReachCard}
          checked={place === 'card'}
          onChange={() => onChange('card')}
        />
        <span>
          {canReachCard
            ? t`the card itself, command by command`
            : t`the card itself: read the card first`}
        </span>
      </label>
      <label>
        <input
          type="radio"
          name="place"
          checked={place === 'record'}
          onChange={() => onChange('record')}
        />
        <span>{t`only Grove’s records of it`}</span>
      </label>
    </fieldset>
  )
}
