export const waterPlant = ({ state, path, next }) => {
  const water = (plant) => ({ ...plant, litres: (plant.litres ?? 0) + 0.5 })
  const plants = state.plants.map((plant) => (plant.id === path.id ? water(plant) : plant))
  return { ...next(), state: { ...state, plants } }
}
