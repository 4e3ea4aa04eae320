import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import { maxImageNameLength } from '@grove/contract/maple/connect/binary-image.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { images, productsQuery } from './binary-image.api.ts'
import { algorithmNames, ImageStateBadge } from './binary-image.labels.tsx'
import { ImageActions } from './image-actions.tsx'
import { ImageView } from './image-view.tsx'

/** One image: whether it is trusted, what its header says, and its bytes. */
export function ImagePanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={images.one(panel.id)}
      title={({ name, version }) => `${name} ${version}`}
      missing={t`There is no image with this ID.`}
      renderActions={(image) => <ImageActions image={image} onGone={panel.onClose} />}
      renderForm={(image, onEnd) => <EditImage key={image.id} image={image} onEnd={onEnd} />}
    >
      {(image) => (
        <div className="form">
          <ImageFacts image={image} />
          <ImageView image={image.mcuboot} />
        </div>
      )}
    </ItemPanel>
  )
}

function ImageFacts({ image }: { image: BinaryImage }) {
  const { t } = useLingui()
  const { data: products } = useQuery({ ...productsQuery(), enabled: image.productId !== null })
  const { state, signedBy, productId, fileName, bytes, sha256, createdAt } = image
  const product = products?.items.find(({ id }) => id === productId)
  return (
    <PanelFacts
      facts={[
        [t`State`, <ImageStateBadge key="state" state={state} />],
        [
          t`Signed by`,
          signedBy ? `${signedBy.name} (${algorithmNames[signedBy.algorithm]})` : t`Not verified`,
        ],
        [
          t`Product`,
          productId === null ? (
            t`Any`
          ) : (
            <Link
              key="product"
              to="/dashboard/maple/products/$id"
              params={{ id: productId }}
              preload={false}
            >
              {product?.name ?? '…'}
            </Link>
          ),
        ],
        [t`File`, <bdi key="file">{fileName}</bdi>],
        [t`Size`, <Bytes key="size" value={bytes} />],
        ['SHA-256', <CopyableId key="sha" value={sha256} />],
        [t({ message: 'Uploaded', context: 'when' }), <DateText key="created" value={createdAt} />],
      ]}
    />
  )
}

function EditImage({ image, onEnd }: { image: BinaryImage; onEnd: () => void }) {
  const { t } = useLingui()
  const { data } = useQuery(productsQuery())
  return (
    <EditItem
      items={images}
      item={image}
      valuesOf={({ name, productId }) => ({ name, productId: productId ?? '' })}
      fields={{
        name: useNameField(maxImageNameLength),
      }}
      form={{
        submit: ({ name, productId }, _from, ifMatch) =>
          api.maple.put('/api/maple/binary_images/{id}', {
            params: { id: image.id },
            ...ifMatch,
            body: { name, productId: productId || null },
          }),
      }}
      labels={{ productId: t`Product` }}
      onEnd={onEnd}
    >
      {(form) => (
        <>
          <SelectField
            label={t`Product`}
            value={form.values.productId}
            words={{
              '': t`Any`,
              ...Object.fromEntries((data?.items ?? []).map(({ id, name }) => [id, name])),
            }}
            onChange={(productId) => form.set({ productId })}
          />
          <p className="muted">
            <Trans>The file itself never changes: another version is another upload.</Trans>
          </p>
        </>
      )}
    </EditItem>
  )
}
