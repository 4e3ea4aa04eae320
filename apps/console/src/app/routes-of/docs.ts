export const files = import.meta.glob('../../routes/_app/docs/*.tsx', {
  eager: true,
  import: 'Route',
})
