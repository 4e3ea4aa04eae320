import type { ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { useLingui } from '@lingui/react/macro'
import { PartBar, type Part } from '../../../../../ui/chart/part-bar.tsx'
import { Bytes } from '../../../../../ui/i18n/bytes.tsx'

type CardMemoryProps = Pick<ResponseOf<Calls['GET /api/maple/se/applets']>, 'items' | 'freeMemory'>

/**
 * The memory of what Grove loaded on a card, next to the free memory the card reports, if both are
 * known.
 */
export function CardMemory({ items, freeMemory }: CardMemoryProps) {
  const { t } = useLingui()
  const loaded = items
    .flatMap(({ packageAid, name, version, loadSize }): Part[] =>
      loadSize === null
        ? []
        : [{ key: packageAid, name: <bdi>{`${name} ${version}`}</bdi>, value: loadSize }],
    )
    .toSorted((a, b) => b.value - a.value)
  if (freeMemory === null || loaded.length === 0) return null
  return (
    <div>
      <PartBar
        label={t`Memory of the card`}
        nameLabel={t`Package`}
        valueLabel={t`Bytes`}
        parts={[
          ...loaded,
          { key: 'free', name: t`Free, as the card says`, value: freeMemory, kind: 'free' },
        ]}
        renderValue={(value) => <Bytes value={value} />}
      />
      <p className="muted">
        {t`Packages count what was loaded. The data of applets, and packages that Grove did not load, are not in it: the card does not say how much they take.`}
      </p>
    </div>
  )
}
