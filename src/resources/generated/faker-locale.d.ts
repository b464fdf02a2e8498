/** The part of faker that is used. The package's own types do not resolve in an ES module. */
declare module '@faker-js/faker/locale/en' {
  type Makers<Name extends string> = Readonly<Record<Name, () => string>>
  interface Faker {
    readonly address: Makers<'state' | 'stateAbbr'>
    readonly commerce: Makers<'color' | 'department' | 'productMaterial' | 'productName'>
    readonly company: { companyName(form: number): string }
    readonly git: Makers<'commitMessage'>
    readonly locales: unknown
    /** All other makers draw from it: a number from `least` up to `most`, without `most`. */
    readonly mersenne: { rand: (most?: number, least?: number) => number }
    readonly music: Makers<'genre'>
    readonly name: Makers<'firstName' | 'jobTitle' | 'lastName'>
    readonly vehicle: Makers<'manufacturer' | 'model'>
  }
  const faker: Faker & { readonly constructor: new (options: { locale: string; locales: unknown }) => Faker }
  export default faker
}
