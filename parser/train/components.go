package train

// standardComponents are the components of the product.
var standardComponents components
