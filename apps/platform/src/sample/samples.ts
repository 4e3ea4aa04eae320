import { fileURLToPath } from 'node:url'
import type { LocaleCode } from '@grove/contract/locale.rules'

export type SampleLocale = LocaleCode

export interface SampleTranslation {
  title: string
  shortDescription: string
  description: string
  whatsNew: string
}

export interface SampleVersion {
  version: string
  /** A folder to be zipped with `zipFolder`. */
  folder: string
  translations: Record<SampleLocale, SampleTranslation>
}

/** A mini-app of the sample workspace; versions are oldest first, the last one is the live one. */
export interface SampleApp {
  id: string
  /** A 512×512 PNG. */
  icon: string
  /** PNG files, in the order to show them. */
  screenshots: Record<SampleLocale, string[]>
  versions: SampleVersion[]
}

const at = (path: string) => fileURLToPath(new URL(`./apps/${path}`, import.meta.url))

const media = (id: string) => ({
  id,
  icon: at(`${id}/icon.png`),
  screenshots: {
    'en-US': [at(`${id}/screenshots/en-1.png`), at(`${id}/screenshots/en-2.png`)],
    'ru-RU': [at(`${id}/screenshots/ru-1.png`), at(`${id}/screenshots/ru-2.png`)],
  },
})

const tideTable = {
  en: {
    title: 'Tide Table',
    shortDescription: 'When the water comes and goes at three ports.',
    description:
      'High and low water for Brest, Bergen and Halifax, worked out on your phone with no connection.\n\nSee at a glance whether the water rises or falls, how high it stands now, and when it turns. A model for practice, not for navigation.',
  },
  ru: {
    title: 'Таблица приливов',
    shortDescription: 'Когда приходит и уходит вода в трёх портах.',
    description:
      'Полная и малая вода в Бресте, Бергене и Галифаксе: всё считается на телефоне, без сети.\n\nСразу видно, прибывает вода или убывает, как высоко она стоит и когда повернёт. Учебная модель, не для навигации.',
  },
}

export const samples: SampleApp[] = [
  {
    ...media('tide-table'),
    versions: [
      {
        version: '1.0.0',
        folder: at('tide-table/v1.0.0'),
        translations: {
          'en-US': {
            ...tideTable.en,
            whatsNew: 'The first version: three ports, four tides a day.',
          },
          'ru-RU': { ...tideTable.ru, whatsNew: 'Первая версия: три порта, четыре воды в сутки.' },
        },
      },
      {
        version: '1.1.0',
        folder: at('tide-table/v1.1.0'),
        translations: {
          'en-US': {
            ...tideTable.en,
            whatsNew: 'The curve of the day with the moment you are at. Metres or feet.',
          },
          'ru-RU': {
            ...tideTable.ru,
            whatsNew: 'Кривая прилива за сутки с отметкой текущего часа. Метры или футы.',
          },
        },
      },
    ],
  },
  {
    ...media('habit-garden'),
    versions: [
      {
        version: '1.0.0',
        folder: at('habit-garden/v1.0.0'),
        translations: {
          'en-US': {
            title: 'Habit Garden',
            shortDescription: 'Water a habit every day and watch it grow.',
            description:
              'Every habit is a plant. Water it once a day: it grows with each day in a row, puts out leaves, and flowers after a week.\n\nThe garden stays on your phone and is sent nowhere.',
            whatsNew: 'The first version: plant, water, and see the last seven days.',
          },
          'ru-RU': {
            title: 'Сад привычек',
            shortDescription: 'Поливайте привычку каждый день и смотрите, как она растёт.',
            description:
              'Каждая привычка — растение. Поливайте его раз в день: с каждым днём подряд оно растёт, выпускает листья, а через неделю цветёт.\n\nСад хранится на вашем телефоне и никуда не отправляется.',
            whatsNew: 'Первая версия: сажайте, поливайте и смотрите последние семь дней.',
          },
        },
      },
    ],
  },
  {
    ...media('split-the-bill'),
    versions: [
      {
        version: '1.0.0',
        folder: at('split-the-bill/v1.0.0'),
        translations: {
          'en-US': {
            title: 'Split the Bill',
            shortDescription: 'Who pays what, tip included, to the last cent.',
            description:
              'Type the bill, choose a tip, and see what each person pays: evenly, or by shares when somebody had more.\n\nThe parts always add up to the total, to the last cent.',
            whatsNew: 'The first version: up to twelve people, even or by shares.',
          },
          'ru-RU': {
            title: 'Разделим счёт',
            shortDescription: 'Кто сколько платит, с чаевыми и до последней копейки.',
            description:
              'Введите счёт, выберите чаевые и увидите, сколько платит каждый: поровну или по долям, если кто-то заказал больше.\n\nЧасти всегда сходятся с итогом до последней копейки.',
            whatsNew: 'Первая версия: до двенадцати человек, поровну или по долям.',
          },
        },
      },
    ],
  },
]
