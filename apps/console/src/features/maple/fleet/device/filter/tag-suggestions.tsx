import { maxTagLength, normaliseTag } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { labelsQuery } from '../device.api.ts'
import { tagsOf } from '../form/label-values.ts'
import styles from './label-filter.module.css'

const maxShown = 8

interface TagSuggestionsProps {
  /** Tags separated by commas, as typed. */
  text: string
  onChange: (text: string) => void
}

/** Tags in use that start with what is being typed; clicking one completes it. */
export function TagSuggestions({ text, onChange }: TagSuggestionsProps) {
  const { t } = useLingui()
  const parts = text.split(',')
  const typed = normaliseTag(parts.at(-1) ?? '')
  const { data } = useQuery(labelsQuery('tag', typed.slice(0, maxTagLength)))
  const chosen = tagsOf(text)
  const shown = (data?.items ?? [])
    .filter((tag) => tag.startsWith(typed) && !chosen.includes(tag))
    .slice(0, maxShown)
  if (shown.length === 0) return null
  return (
    <fieldset aria-label={t`Tags in use`} className={styles.suggestions}>
      {shown.map((tag) => (
        <button
          key={tag}
          type="button"
          className="button small"
          onClick={() =>
            onChange([...parts.slice(0, -1), tag].map((each) => each.trim()).join(', '))
          }
        >
          {tag}
        </button>
      ))}
    </fieldset>
  )
}
