import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { AnyActor } from '../../../core/actor.ts'
import type { CedarContext } from '../context.ts'
import { openObject } from '../storage/objects.service.ts'
import type { LinkView } from './linked-app.service.ts'
import { inLocale } from './page/app-page.ts'
import { pageTexts } from './page/page-texts.ts'
import { drawPreview } from './page/preview-image.ts'

interface Preview {
  etag: string
  png: Buffer
}

// About 30 kB each.
const maxPreviews = 200
const drawn = new Map<string, Promise<Buffer>>()

/** A link's preview image, cached by its texts and icon. */
export async function previewOf(
  context: CedarContext,
  _actor: AnyActor,
  { view: { app, iconSha256 }, locale }: { view: LinkView; locale: LocaleCode },
): Promise<Preview> {
  const text = inLocale(app.translations, locale)
  const texts = {
    title: text?.title ?? app.linkId,
    subtitle: text?.shortDescription ?? '',
    provider:
      (app.provider && inLocale(app.provider.translations, locale)?.name) ??
      pageTexts[locale].independent,
  }
  const key = createHash('sha256')
    .update(JSON.stringify({ ...texts, iconSha256 }))
    .digest('base64url')
  const known = drawn.get(key)
  const png = known ?? draw()
  if (!known) {
    drawn.set(key, png)
    if (drawn.size > maxPreviews) drawn.delete(drawn.keys().next().value ?? '')
    png.catch(() => drawn.delete(key))
  }
  return { etag: `"${key.slice(0, 22)}"`, png: await png }

  async function draw() {
    const icon = iconSha256 === null ? undefined : await openObject(context, iconSha256)
    return drawPreview({ ...texts, icon: icon ? await buffer(icon.stream) : null })
  }
}
